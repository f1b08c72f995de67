import type { GlueCatalog } from './glue-catalog.ts'

/** The catalog, whose client is loaded with its first call: only changes of tables need it. */
export const createLazyGlueCatalog = (database: string): GlueCatalog => {
  let opened: Promise<GlueCatalog> | undefined
  const open = (): Promise<GlueCatalog> => {
    opened ??= import('./open-glue-catalog.ts').then(({ openGlueCatalog }) => openGlueCatalog(database))
    return opened
  }
  return {
    database,
    find: async name => (await open()).find(name),
    async *list() {
      yield* (await open()).list()
    },
    create: async (name, file) => (await open()).create(name, file),
    move: async (table, file) => (await open()).move(table, file),
    drop: async name => (await open()).drop(name),
  }
}
