import { fc, test } from "@fast-check/vitest";
