/**
 * Minor units by ISO 4217, where they are not two decimals. Browsers go by what prices look like in shops, and give the forint and others
 * none; the service's amounts would be a hundred times too large.
 * https://www.six-group.com/en/products-services/financial-information/data-standards.html
 */
const DECIMALS: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};
const byCurrency = new Map(Object.entries(DECIMALS).flatMap(([decimals, currencies]) => currencies.split(' ').map((currency) => [currency, Number(decimals)] as const)));

/** Decimals of a currency. A code that is none yet, as it is being typed, counts as having two. */
export const decimalsOf = (currency: string): number => byCurrency.get(currency) ?? 2;
