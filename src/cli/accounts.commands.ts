import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { Accounts, TestShoppers, type ShopperToken } from '../auth/index.js';
import { LOCAL_SECRETS } from '../config/index.js';
import { print, withApplication } from './context.js';

/** `operator:create` */
export async function createOperator({ username, password }: { username: string; password?: string }): Promise<void> {
  await withApplication(async (app, settings) => {
    const chosen = password ?? settings.OPERATOR_PASSWORD;
    if (chosen === LOCAL_SECRETS.OPERATOR_PASSWORD) throw new Error('choose a password: the one in the committed .env is known to everyone (--password, or OPERATOR_PASSWORD)');
    const operator = await app.get(Accounts).createOperator(username, chosen);
    print(`operator ${operator.username} created`);
  });
}

/** `shoppers:create`: accounts, sessions and the token file; a repeat takes the same accounts and opens new sessions. */
export async function createShoppers({ count, prefix, out }: { count: number; prefix: string; out: string }): Promise<void> {
  await withApplication(async (app) => {
    const onProgress = (ready: number): boolean => process.stderr.write(`\r${ready} of ${count} shoppers`);
    const batches = app.get(TestShoppers).create(count, { prefix, onProgress });
    // The first batch before the file is touched: a wrong prefix is no reason to lose an older one.
    const first = await batches.next();
    const file = createWriteStream(out, { mode: 0o600 });
    await once(file, 'open');
    file.write('username,token\n');
    const write = async (batch: ShopperToken[]): Promise<void> => {
      if (!file.write(batch.map(({ username, token }) => `${username},${token}\n`).join(''))) await once(file, 'drain');
    };
    if (!first.done) await write(first.value);
    for await (const batch of batches) await write(batch);
    file.end();
    await finished(file);
    process.stderr.write('\n');
    print(`${count} shoppers, tokens in ${out}`);
  });
}
