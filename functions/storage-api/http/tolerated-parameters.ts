/**
 * Parameters that no route reads and that are passed over, because clients send them and they would change nothing here.
 * Each with its reason. Every other parameter that a route does not read is refused.
 */
export const toleratedParameters: Readonly<Record<string, string>> = {
  bucketId: 'The PHP client repeats the bucket of the path in the body of a new table.',
  transactional: 'The PHP client sends it with each new table. Every load here is all or nothing.',
  distributionKey: 'Places the rows of a table on the nodes of some backends. Tables here have no nodes.',
  syntheticPrimaryKeyEnabled:
    'Adds a key for backends that cannot replace rows without one. Tables here can.',
  aliasColumnsAutoSync:
    'A former option of new aliases: they follow their source unless `aliasColumns` is given.',
  escape: 'The PHP client sends it with exports and previews, from before CSV files had one form.',
}
