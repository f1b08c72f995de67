import { join } from 'node:path'

/** The folder of package.json, cdk.json and infra/. */
export const projectRoot = join(import.meta.dirname, '..', '..')
