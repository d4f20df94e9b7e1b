/** Article 1's names, with a hash tag, so that both keys of an item lie on one node of a cluster. */
export const counterKey = (itemId: string): string => `sk:{${itemId}}:qt`;
export const buyersKey = (itemId: string): string => `sk:{${itemId}}:user`;
