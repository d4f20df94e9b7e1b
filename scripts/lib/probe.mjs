import { connect } from 'node:net';

const ANSWER_TIMEOUT_MS = 1_000;

/**
 * Connects to a server's own socket file. Over TCP, the answer could come from somebody else's server on the same port; and a server
 * opens this file only after it has got its port.
 *
 * @param {string} socketPath
 * @param {string} question  what to send first, if anything
 * @param {(answer: Buffer) => boolean} isGood
 * @returns {Promise<boolean>} whether a good answer came in time
 */
export function converse(socketPath, question, isGood) {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const finish = (/** @type {boolean} */ result) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
    socket.once('data', (answer) => finish(isGood(answer)));
    if (question) socket.write(question);
  });
}
