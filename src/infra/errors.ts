/** Every error code of the API with its HTTP status. Codes are part of the contract: they are added, never renamed. */
export const ERROR_STATUS = {
  VALIDATION_FAILED: 400,
  INVALID_BASKET: 400,
  INVALID_SIGNATURE: 400,
  WEBHOOK_URL_REFUSED: 400,
  UNAUTHENTICATED: 401,
  INVALID_CREDENTIALS: 401,
  FORBIDDEN: 403,
  NOT_STARTED: 403,
  PAUSED: 403,
  NOT_FOUND: 404,
  SALE_NOT_FOUND: 404,
  ITEM_NOT_FOUND: 404,
  GOODS_NOT_FOUND: 404,
  ORDER_NOT_FOUND: 404,
  NO_TICKET: 404,
  WEBHOOK_NOT_FOUND: 404,
  DELIVERY_NOT_FOUND: 404,
  REHEARSAL_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  USERNAME_TAKEN: 409,
  ALREADY_QUEUED: 409,
  UNPAID_ORDER: 409,
  LIMIT_REACHED: 409,
  TICKET_CLAIMED: 409,
  ORDER_NOT_PAYABLE: 409,
  ORDER_NOT_CANCELLABLE: 409,
  ORDER_NOT_REFUNDABLE: 409,
  SALE_STATE_CONFLICT: 409,
  STOCK_HELD: 409,
  DELIVERY_NOT_DEAD: 409,
  TOO_MANY_WEBHOOKS: 409,
  REHEARSAL_RUNNING: 409,
  SOLD_OUT: 410,
  ENDED: 410,
  IDEMPOTENCY_KEY_IN_USE: 409,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  EXPECTATION_FAILED: 417,
  IDEMPOTENCY_KEY_REUSED: 422,
  TOO_MANY_REQUESTS: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  NOT_IMPLEMENTED: 501,
  NOT_LOADED: 503,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/**
 * A refusal that the caller is told about, with a stable code. It becomes problem+json in one place (infra/http).
 * `extra` members are added to the problem; `retryAfterMs` becomes the `Retry-After` header.
 */
export class DomainError extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly extra: Record<string, unknown> = {},
    options: { retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'DomainError';
    this.retryAfterMs = options.retryAfterMs;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** What a log says of anything that was thrown. */
export const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
