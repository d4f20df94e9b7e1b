import { chromium, type Browser, type CDPSession } from 'playwright-core';
import { findBrowser } from '../../scripts/lib/binaries.mjs';
import { contextOf, type Visit } from '../../test/harness/visit.js';
import type { Opening } from './figures.js';

/** What the browser pretends to be. */
export interface Network {
  text: string;
  size: { width: number; height: number };
  cpuSlowdown: number;
  /** Null for what the machine has. */
  limits: { latencyMs: number; kilobitsPerSecond: number } | null;
}

/** How long nothing may be asked for any more before a page counts as standing. */
const QUIET = 'networkidle';
/** Paints and shifts, as the browser has noted them. */
const PAINTS = `new Promise((resolve) => {
  const noted = { largestPaintMs: 0, layoutShift: 0 };
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) noted.largestPaintMs = entry.startTime; }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) noted.layoutShift += entry.value; }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve({ ...noted, firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN }), 100);
})`;

/** @throws Error where no Chromium is installed */
export function launch(): Promise<Browser> {
  const executablePath = findBrowser();
  if (!executablePath) throw new Error('no browser: install chromium');
  // Pages of this very service need no sandbox, and root gets none.
  // A signal is for the benchmark, which ends its servers too; the browser's own handler would end the process at once.
  return chromium.launch({ executablePath, chromiumSandbox: false, handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false });
}

/** Opens an address with an empty cache. @throws Error where it is not answered with success */
export async function open(browser: Browser, address: string, network: Network, visit: Visit): Promise<Opening> {
  const context = await browser.newContext(contextOf(new URL(address).origin, { ...visit, size: network.size, bypassCsp: true }));
  try {
    const page = await context.newPage();
    const sent = await listen(await context.newCDPSession(page), network);
    // The streams of a page never end, so that "idle" would wait for ever where one is open; none of these pages holds one.
    const response = await page.goto(address, { waitUntil: QUIET });
    if (!response?.ok()) throw new Error(`${address}: ${response?.status()}`);
    return { ...(await page.evaluate<Pick<Opening, 'firstPaintMs' | 'largestPaintMs' | 'layoutShift'>>(PAINTS)), ...sent };
  } finally {
    await context.close();
  }
}

async function listen(session: CDPSession, { cpuSlowdown, limits }: Network): Promise<Pick<Opening, 'requests' | 'bytes' | 'scriptBytes'>> {
  const sent = { requests: 0, bytes: 0, scriptBytes: 0 };
  const scripts = new Set<string>();
  session.on('Network.responseReceived', ({ requestId, type }) => {
    sent.requests += 1;
    if (type === 'Script') scripts.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    sent.bytes += encodedDataLength;
    if (scripts.has(requestId)) sent.scriptBytes += encodedDataLength;
  });
  await session.send('Network.enable');
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  if (limits) {
    const bytesPerSecond = (limits.kilobitsPerSecond * 1000) / 8;
    await session.send('Network.emulateNetworkConditions', { offline: false, latency: limits.latencyMs, downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond });
  }
  return sent;
}
