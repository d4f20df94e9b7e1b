/** The operator's console. */
export function ConsolePage() {
  return (
    <main>
      <h1>Seckill console</h1>
    </main>
  );
}
