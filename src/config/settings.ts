import { plainToInstance, Transform, Type } from 'class-transformer';
import { IsIn, IsInt, IsNotEmpty, IsOptional, IsString, Matches, Max, Min, ValidateIf, validateSync } from 'class-validator';

export const ROLES = ['api', 'worker', 'scheduler'] as const;
export type ProcessRole = (typeof ROLES)[number];

/** Values of the committed `.env`: good on a local machine, refused in production. */
export const LOCAL_SECRETS = {
  OPERATOR_PASSWORD: 'operator-demo',
  PAYMENT_SECRET: 'local-payment-secret',
  PASS_SECRET: 'local-pass-secret',
} as const;

export const PAYMENT_PROVIDERS = ['sandbox', 'stripe'] as const;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const toList = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' ? value.split(',').map((part) => part.trim()).filter(Boolean) : value;
const toFlag = ({ value }: { value: unknown }): unknown =>
  value === '1' || value === 'true' ? true : value === '0' || value === 'false' || value === '' ? false : value;

/** Every setting of the service, under the name it has in the environment. */
export class Settings {
  @Type(() => Number) @IsInt() @Min(0) @Max(65535)
  PORT = 3000;

  @IsString() @IsNotEmpty()
  HOST = '127.0.0.1';

  @Transform(toList) @IsIn(['all', ...ROLES], { each: true })
  ROLE: string[] = ['all'];

  @IsOptional() @IsIn(['development', 'test', 'production'])
  NODE_ENV = 'development';

  @Matches(/^(mysql|mariadb):\/\//, { message: 'DATABASE_URL must be a mysql:// address' })
  DATABASE_URL!: string;

  @ValidateIf((s: Settings) => !s.REDIS_CLUSTER_NODES?.length && !s.REDIS_SENTINELS?.length)
  @Matches(/^rediss?:\/\//, { message: 'REDIS_URL must be a redis:// address' })
  REDIS_URL = '';

  @IsOptional() @Transform(toList) @Matches(/^[^\s:]+:\d+$/, { each: true, message: 'REDIS_CLUSTER_NODES must be host:port,host:port' })
  REDIS_CLUSTER_NODES?: string[];

  @IsOptional() @Transform(toList) @Matches(/^[^\s:]+:\d+$/, { each: true, message: 'REDIS_SENTINELS must be host:port,host:port' })
  REDIS_SENTINELS?: string[];

  @ValidateIf((s: Settings) => Boolean(s.REDIS_SENTINELS?.length)) @IsString() @IsNotEmpty()
  REDIS_SENTINEL_NAME?: string;

  @IsOptional() @Transform(toList) @Matches(/^rediss?:\/\//, { each: true, message: 'LOCK_REDIS_URLS must be redis:// addresses' })
  LOCK_REDIS_URLS?: string[];

  @IsString() @IsNotEmpty()
  OPERATOR_USERNAME = 'operator';

  @IsString() @IsNotEmpty()
  OPERATOR_PASSWORD: string = LOCAL_SECRETS.OPERATOR_PASSWORD;

  @IsString() @IsNotEmpty()
  PAYMENT_SECRET: string = LOCAL_SECRETS.PAYMENT_SECRET;

  @IsString() @IsNotEmpty()
  PASS_SECRET: string = LOCAL_SECRETS.PASS_SECRET;

  @IsOptional() @Transform(toList) @IsIn(PAYMENT_PROVIDERS, { each: true, message: `PAYMENT_PROVIDERS must be of ${PAYMENT_PROVIDERS.join(', ')}` })
  PAYMENT_PROVIDERS?: string[];

  @Matches(/^\S*$/, { message: 'STRIPE_SECRET_KEY must have no blanks' })
  STRIPE_SECRET_KEY = '';

  @Matches(/^\S*$/, { message: 'STRIPE_WEBHOOK_SECRET must have no blanks' })
  STRIPE_WEBHOOK_SECRET = '';

  @IsOptional() @Matches(/^https?:\/\/[^\s/?#@]+\/?$/, { message: 'STRIPE_API_URL must be an http(s):// address without a path' })
  STRIPE_API_URL?: string;

  @Type(() => Number) @IsInt() @Min(1)
  PRELOAD_LEAD_SECONDS = 600;

  @Type(() => Number) @IsInt() @Min(1) @Max(86_400)
  PAYMENT_TIMEOUT_SECONDS = 900;

  @Type(() => Number) @IsInt() @Min(1)
  SESSION_TTL_SECONDS = 86_400;

  @Type(() => Number) @IsInt() @Min(60)
  RETENTION_SECONDS = 86_400;

  @Type(() => Number) @IsInt() @Min(1) @Max(100_000)
  STREAMS_MAX = 10_000;

  @Type(() => Number) @IsInt() @Min(1) @Max(100)
  STREAMS_PER_SHOPPER = 3;

  @Type(() => Number) @IsInt() @Min(1) @Max(300)
  STREAM_HEARTBEAT_SECONDS = 15;

  @Transform(toFlag)
  @IsIn([true, false], { message: 'TRUST_PROXY must be 1 or 0' })
  TRUST_PROXY = false;

  @Transform(toFlag)
  @IsIn([true, false], { message: 'WEBHOOK_ALLOW_PRIVATE must be 1 or 0' })
  WEBHOOK_ALLOW_PRIVATE = false;

  @IsIn(LOG_LEVELS)
  LOG_LEVEL = 'info';

  @Transform(toFlag)
  @IsIn([true, false], { message: 'DEMO must be 1 or 0' })
  DEMO = false;

  /**
   * The ways in which shoppers may pay, the one they get where they name none first. Unless told otherwise: all there are, but no sandbox
   * beside a real one in production, since it moves no money.
   */
  get waysToPay(): readonly string[] {
    if (this.PAYMENT_PROVIDERS?.length) return this.PAYMENT_PROVIDERS;
    if (this.STRIPE_SECRET_KEY === '') return ['sandbox'];
    return this.NODE_ENV === 'production' ? ['stripe'] : PAYMENT_PROVIDERS;
  }

  /** The roles this process plays; `all` stands for each of them. */
  get roles(): ProcessRole[] {
    return ROLES.filter((role) => this.ROLE.includes('all') || this.ROLE.includes(role));
  }
}

/** Thrown by `readSettings`; `faults` has one line per wrong setting. */
export class SettingsError extends Error {
  constructor(readonly faults: string[]) {
    super(faults.join('\n'));
  }
}

/**
 * Turns an environment into checked settings.
 * @throws SettingsError naming every fault, not only the first
 */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const settings = plainToInstance(Settings, present, { exposeDefaultValues: true });
  const faults = validateSync(settings).flatMap((error) => Object.values(error.constraints ?? {}));
  faults.push(...localSecretFaults(settings), ...stripeFaults(settings));
  if (faults.length > 0) throw new SettingsError(faults);
  return settings;
}

/** A key without the webhook's secret would take money that is never noticed. */
function stripeFaults({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, waysToPay }: Settings): string[] {
  if (STRIPE_SECRET_KEY === '' && waysToPay.includes('stripe')) return ['PAYMENT_PROVIDERS names stripe, which needs STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET'];
  if ((STRIPE_SECRET_KEY === '') === (STRIPE_WEBHOOK_SECRET === '')) return [];
  const missing = STRIPE_SECRET_KEY === '' ? 'STRIPE_SECRET_KEY' : 'STRIPE_WEBHOOK_SECRET';
  return [`${missing} is empty: Stripe needs both STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or neither`];
}

function localSecretFaults(settings: Settings): string[] {
  if (settings.NODE_ENV !== 'production') return [];
  return Object.entries(LOCAL_SECRETS)
    .filter(([name, local]) => settings[name as keyof typeof LOCAL_SECRETS] === local)
    .map(([name]) => `${name} still has its local default, which production refuses`);
}
