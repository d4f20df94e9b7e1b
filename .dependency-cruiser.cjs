/** Who may import whom; ARCHITECTURE.md draws the same picture. @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    { name: 'infra-knows-no-domain', severity: 'error', from: { path: '^src/(infra|config)/' }, to: { path: '^src/(auth|goods|seckill|order|webhooks|rehearsal|readiness|pages|cli)/' } },
    { name: 'auth-knows-no-domain', severity: 'error', from: { path: '^src/auth/' }, to: { path: '^src/(goods|seckill|order|webhooks|rehearsal|cli)/' } },
    { name: 'goods-is-below', severity: 'error', from: { path: '^src/goods/' }, to: { path: '^src/(seckill|order|webhooks|rehearsal|cli)/' } },
    { name: 'seckill-never-imports-order', severity: 'error', from: { path: '^src/seckill/' }, to: { path: '^src/(order|webhooks|rehearsal|cli)/' } },
    { name: 'order-is-below-cli', severity: 'error', from: { path: '^src/order/' }, to: { path: '^src/(webhooks|rehearsal|cli)/' } },
    { name: 'webhooks-read-tables-only', severity: 'error', from: { path: '^src/webhooks/' }, to: { path: '^src/(seckill|order|rehearsal|cli)/' } },
    { name: 'nothing-imports-readiness', severity: 'error', from: { path: '^src/', pathNot: '^src/(readiness/|app\\.module\\.ts$)' }, to: { path: '^src/readiness/' } },
    { name: 'readiness-looks-at-no-pages', severity: 'error', from: { path: '^src/readiness/' }, to: { path: '^src/(webhooks|pages|cli)/' } },
    { name: 'rehearsals-are-below-cli', severity: 'error', from: { path: '^src/rehearsal/' }, to: { path: '^src/(webhooks|pages|cli)/' } },
    { name: 'pages-know-sessions-and-queues-only', severity: 'error', from: { path: '^src/pages/' }, to: { path: '^src/(goods|webhooks|rehearsal|readiness|cli)/' } },
    {
      name: 'modules-only-through-their-index',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: { path: '^src/(auth|goods|seckill|order|webhooks|rehearsal|readiness|pages)/', pathNot: ['^src/$1/', '^src/(auth|goods|seckill|order|webhooks|rehearsal|readiness|pages)/index\\.ts$'] },
    },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, pathNot: ['\\.spec\\.ts$', '\\.d\\.ts$', '^src/main\\.ts$', '^src/openapi\\.ts$', '^src/cli/main\\.ts$'] }, to: {} },
    { name: 'no-dev-packages', severity: 'error', from: { path: '^src/', pathNot: '\\.spec\\.ts$' }, to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'] } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js'], exportsFields: ['exports'], conditionNames: ['import', 'types'] },
  },
};
