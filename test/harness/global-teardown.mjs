/** Stops what the global set-up started. */
export default async function stopTestServices() {
  await Promise.all((globalThis.testServices ?? []).map((services) => services.stop()));
}
