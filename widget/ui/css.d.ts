/** A style sheet imported for its effect: the build writes it beside the script. */
declare module "*.css";
