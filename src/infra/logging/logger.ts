import type { LoggerService } from '@nestjs/common';
import { pino, type Logger as Pino } from 'pino';

/** The process-wide pino logger: one JSON object a line, credentials cut out wherever they might appear. */
export function createPino(level: string): Pino {
  return pino({
    level,
    base: { pid: process.pid },
    redact: {
      paths: ['req.headers.authorization', 'authorization', 'password', 'token', '*.password', '*.token'],
      censor: '[redacted]',
    },
    serializers: { err: describeError, error: describeError },
  });
}

const MAX_MESSAGE = 1000;

/** What is worth keeping of an error. Its other members may be anything: those of a failed statement are all of its rows. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? { code: String(error.code) } : {};
  return { type: error.name, ...code, message: error.message.slice(0, MAX_MESSAGE), stack: error.stack?.slice(0, 4 * MAX_MESSAGE) };
}

/** What Nest tells of its own start: of interest only to whoever debugs it. */
const START_UP = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Lets Nest's own `Logger` write through pino; objects passed as message become fields. */
export class PinoLoggerService implements LoggerService {
  constructor(private readonly pino: Pino) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(START_UP.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  /** Nest passes the context last and, for errors, a stack before it. */
  private write(level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal', message: unknown, rest: unknown[]): void {
    const context = rest.at(-1);
    const stack = rest.length > 1 ? rest[0] : undefined;
    const fields = { ...(typeof context === 'string' ? { context } : {}), ...(typeof stack === 'string' ? { stack } : {}) };
    if (message instanceof Error) this.pino[level]({ ...fields, err: message }, message.message);
    else if (typeof message === 'object' && message !== null) this.pino[level]({ ...fields, ...message });
    else this.pino[level](fields, String(message));
  }
}
