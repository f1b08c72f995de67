import { currentRow, type Run } from './run.ts'

export interface ConfigurationPlace {
  componentId: string
  configId: string
  branchId?: number | undefined
}

/** Where a configuration's objects lie below a prefix of the work bucket: `branch/12/ex-generic-v2/orders`. */
export const placeOfConfiguration = ({ componentId, configId, branchId }: ConfigurationPlace): string => {
  const branch = branchId === undefined ? '' : `branch/${branchId}/`
  return `${branch}${componentId}/${encodeURIComponent(configId)}`
}

/** The same of the row that is run; `root` for a configuration without rows. */
export const placeOfRow = (run: Run): string => {
  const { id } = currentRow(run)
  return `${placeOfConfiguration(run)}/${id === null ? 'root' : `row/${encodeURIComponent(id)}`}`
}
