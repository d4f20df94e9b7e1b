import { TICKET_STATUSES, type TicketRecord } from './ticket.js';

const STATUSES: ReadonlySet<unknown> = new Set(TICKET_STATUSES);

/** A claimed ticket with the tokens taken for it. */
export interface ClaimedTicket {
  ticketId: string;
  userId: string;
  seq: number;
  joinedAtMs: number;
  lines: { itemId: string; quantity: number; serials: number[] }[];
}

/** The same as the `claimed` hash holds it (JSON), by its ticket id. */
export interface ClaimRecord {
  ticketId: string;
  userId: string;
  seq: number;
  joinedAtMs: number;
  items: [itemId: string, quantity: number, serials: string[]][];
}

/**
 * Reads a ticket as the scripts keep it: JSON whose id is called `id`. A million of them wait in Redis, whose memory comes in steps, and with
 * the longer name most would need the next one. @throws TypeError when it is none
 */
export function parseTicket(json: string): TicketRecord {
  const value: unknown = JSON.parse(json);
  if (!isRecord(value) || typeof value.id !== 'string' || typeof value.seq !== 'number' || !STATUSES.has(value.status)) {
    throw new TypeError('this is no ticket');
  }
  // A whole crowd's looks come by here: taking the object apart by rest and spread would cost more than reading the JSON.
  const ticket: Record<string, unknown> = { ticketId: value.id };
  for (const name in value) if (name !== 'id') ticket[name] = value[name];
  // The scripts keep the amount as text, because cjson would write a large number with 14 digits only.
  if (value.amountMinor !== undefined) ticket.amountMinor = Number(value.amountMinor);
  return ticket as unknown as TicketRecord;
}

/** Writes a ticket as {@link parseTicket} reads it. */
export function formatTicket({ ticketId, amountMinor, ...ticket }: TicketRecord): string {
  return JSON.stringify({ id: ticketId, ...ticket, ...(amountMinor === undefined ? {} : { amountMinor: String(amountMinor) }) });
}

/** Reads a claimed ticket: `{ticketId, userId, seq, joinedAtMs, items: [[itemId, quantity, [serial, …]], …]}`. @throws TypeError */
export function parseClaim(json: string): ClaimedTicket {
  const value: unknown = JSON.parse(json);
  if (!isRecord(value) || typeof value.ticketId !== 'string' || typeof value.userId !== 'string' || !Array.isArray(value.items)) {
    throw new TypeError('this is no claimed ticket');
  }
  return {
    ticketId: value.ticketId,
    userId: value.userId,
    seq: Number(value.seq),
    joinedAtMs: Number(value.joinedAtMs),
    lines: value.items.map(parseLine),
  };
}

function parseLine(line: unknown): ClaimedTicket['lines'][number] {
  if (!Array.isArray(line) || typeof line[0] !== 'string' || typeof line[1] !== 'number' || !Array.isArray(line[2])) {
    throw new TypeError('this is no line of a claimed ticket');
  }
  return { itemId: line[0], quantity: line[1], serials: line[2].map(Number) };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
