/** A port that is free now; somebody else may take it before its server does. */
export function findFreePort(): Promise<number>;
