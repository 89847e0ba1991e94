// The same module for `import`: there is one of it, however it is loaded.
import posthouse from "./index.js";

export const { ErrorCode, Headers, Hub, PosthouseError, version } = posthouse;
