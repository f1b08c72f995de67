import { GlueClient } from '@aws-sdk/client-glue'
import { createGlueCatalog, type GlueCatalog } from './glue-catalog.ts'

export const openGlueCatalog = (database: string): GlueCatalog =>
  createGlueCatalog(new GlueClient({}), database)
