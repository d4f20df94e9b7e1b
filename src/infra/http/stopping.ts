/** Servers whose process is about to stop. */
const stopping = new WeakSet<object>();

/** Whether the process of this server is about to stop, so that nobody should send it anything new. */
export const isStopping = (server: object): boolean => stopping.has(server);

export const announceStop = (server: object): void => void stopping.add(server);
