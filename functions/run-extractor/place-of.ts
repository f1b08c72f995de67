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
