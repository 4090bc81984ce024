/** What counts as a name, wherever one is taken: of an embed, a desk, a person, a key. */

/**
 * What leaves no ink: white space, controls and formats (zero-width, direction marks, a soft hyphen), halves of a character, fillers that
 * Unicode has ignored, and the blank Braille pattern.
 */
const UNSEEN = /[\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Whether a text shows anything at all. One that does not is refused as a name like an empty one. */
export const isVisible = (text: string): boolean => text.replace(UNSEEN, "") !== "";
