/** The shop: sales, the line, own orders. */
export function ShopPage() {
  return (
    <main>
      <h1>Seckill</h1>
    </main>
  );
}
