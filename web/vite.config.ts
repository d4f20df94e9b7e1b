import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { precompress } from './precompress.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Two pages, the shop and the operator's console, built into `dist/web`, from where the API process serves them. */
export default defineConfig({
  root: here('.'),
  build: {
    outDir: here('../dist/web'),
    emptyOutDir: true,
    rolldownOptions: { input: { shop: here('index.html'), ops: here('ops/index.html') } },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [precompress()],
  // `npx vite web` serves the pages from their sources, beside a service that runs.
  server: { proxy: { '/api': `http://127.0.0.1:${process.env.PORT ?? '3000'}` } },
});
