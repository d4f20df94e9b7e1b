/** Calls `stop` once, at the first signal to stop, and when the npm that started this process is gone; `isUrgent` tells whether it came again. */
export function onStopSignal(stop: (signal: NodeJS.Signals, isUrgent: () => boolean) => void): void;
