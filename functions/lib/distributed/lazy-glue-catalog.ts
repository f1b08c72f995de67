import type { GlueCatalog } from './glue-catalog.ts'

/** The catalog, loaded with its client on first use: few requests change a table that Athena has worked on. */
export const createLazyGlueCatalog = (database: string): GlueCatalog => {
  let catalog: Promise<GlueCatalog> | undefined
  const open = (): Promise<GlueCatalog> => {
    catalog ??= openCatalog(database)
    return catalog
  }
  return {
    database,
    find: async name => (await open()).find(name),
    list: async function* () {
      yield* (await open()).list()
    },
    create: async (...created) => (await open()).create(...created),
    move: async (...moved) => (await open()).move(...moved),
    drop: async name => (await open()).drop(name),
  }
}

const openCatalog = async (database: string): Promise<GlueCatalog> => {
  const [{ GlueClient }, { createGlueCatalog }] = await Promise.all([
    import('@aws-sdk/client-glue'),
    import('./glue-catalog.ts'),
  ])
  return createGlueCatalog(new GlueClient({}), database)
}
