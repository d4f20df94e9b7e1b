import type { Schemas } from '../../shared/api';

export type TicketStatus = Schemas['TicketView']['status'];

const LIVE: ReadonlySet<TicketStatus> = new Set(['queued', 'reserved', 'standby', 'awaiting_payment']);

/** Whether a ticket has ended. */
export const isTerminal = (status: TicketStatus): boolean => !LIVE.has(status);

/** Whether a ticket still waits for its units, and may be given up by leaving. */
export const isWaiting = (status: TicketStatus): boolean => status === 'queued' || status === 'standby' || status === 'reserved';

/** How much of the way from the place a ticket began at is done, from 0 to 1. */
export const progressOf = (from: number, position: number): number => (from <= 1 ? 0.5 : Math.min(1, Math.max(0, (from - position) / from)));
