import { Command, InvalidArgumentError } from 'commander';
import { readEnvironment, readSettings, SettingsError } from '../config/index.js';
import { isDatabaseUnavailable } from '../infra/database/index.js';
import { DomainError, reasonOf } from '../infra/errors.js';
import { isRedisUnavailable } from '../infra/redis/index.js';
import { MOST_SHOPPERS } from '../rehearsal/index.js';
import { createOperator, createShoppers } from './accounts.commands.js';
import { createDemo } from './demo.command.js';
import { demoCrowd } from './demo-crowd.command.js';
import { migrate } from './migrate.command.js';
import { rehearse } from './rehearse.command.js';
import { preloadSale, proveSale, showStats } from './sale.commands.js';

const program = new Command('seckill').description("The operator's command line").showHelpAfterError();

program.command('migrate').description('bring the tables up to date').action(migrate);
program.command('demo').description('create the demo sale, if none is running, and print how to buy').action(createDemo);
program
  .command('demo:crowd')
  .description('send a crowd to the demo sale of the running service, at a human pace')
  .option('--shoppers <number>', 'how many', positive, 2000)
  .option('--seconds <number>', 'over how long they arrive', positive, 60)
  .action(demoCrowd);
program
  .command('rehearse')
  .description('rehearse a sale on the running service: a shadow sale with synthetic shoppers, proven and cleaned up; exit code 1 when it failed')
  .option('--shoppers <number>', `how many, at most ${MOST_SHOPPERS}`, atMost(MOST_SHOPPERS), 5000)
  .option('--stock <number>', `units, at most ${MOST_SHOPPERS}`, atMost(MOST_SHOPPERS), 500)
  .option('--json', 'the report as JSON')
  .action(rehearse);
program
  .command('operator:create')
  .description('create an operator; the password comes from OPERATOR_PASSWORD unless given')
  .requiredOption('--username <name>')
  .option('--password <password>')
  .action(createOperator);
program
  .command('shoppers:create')
  .description('create signed-in test shoppers and write their tokens to a file with the header username,token')
  .option('--count <number>', 'how many', positive, 500)
  .option('--prefix <text>', 'what their names begin with', 'shopper')
  .option('--out <file>', 'the token file', 'tokens.csv')
  .action(createShoppers);
program.command('sale:preload').description('load a published sale into Redis now').argument('<saleId>').action(preloadSale);
program.command('sale:proof').description('check that every token is in exactly one place; exit code 1 when not').argument('<saleId>').action(proveSale);
program.command('sale:stats').description('show how a sale goes').argument('<saleId>').action(showStats);

/** Lets whoever would have to start servers for a command know first whether the command and the settings make sense. */
if (process.env.SECKILL_CHECK_ONLY === '1') {
  program.hook('preAction', () => {
    const { DATABASE_URL, REDIS_URL, ...others } = readEnvironment();
    readSettings({ ...others, DATABASE_URL: DATABASE_URL || 'mysql://to-be-started', REDIS_URL: REDIS_URL || 'redis://to-be-started' });
    process.exit(0);
  });
}

function positive(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('must be a positive integer');
  return number;
}

function atMost(most: number): (value: string) => number {
  return (value) => {
    const number = positive(value);
    if (number > most) throw new InvalidArgumentError(`must be ${most} at most`);
    return number;
  };
}

program.parseAsync().catch((error: unknown) => {
  for (const line of explain(error)) process.stderr.write(`${line}\n`);
  // Connections that could not be opened go on trying, and would keep the process alive.
  process.exit(1);
});

function explain(error: unknown): string[] {
  if (error instanceof SettingsError) return error.faults.map((fault) => `setting: ${fault}`);
  if (error instanceof DomainError) return [`${error.code}: ${error.message}`];
  if (isDatabaseUnavailable(error)) return ["MySQL can't be reached: look at DATABASE_URL, or start the service with npm start"];
  if (isRedisUnavailable(error)) return ["Redis can't be reached: look at REDIS_URL, or start the service with npm start"];
  return [reasonOf(error)];
}
