import { DATA_URL_COMPONENT } from './data-url-component.ts'
import type { SecretOwner } from './sealed-secret.ts'

/** The key that says that its value is a secret. */
const KEY = '#dataUrl'

/** Seals or opens an address, which may hold a signature in its query. */
export const mapDataUrl = async (
  dataUrl: string,
  projectId: number,
  map: (value: unknown, owner: SecretOwner) => Promise<unknown>,
): Promise<string> => {
  const owner = { projectId, componentId: DATA_URL_COMPONENT, configId: 'jobs' }
  const mapped = await map({ [KEY]: dataUrl }, owner)
  return (mapped as { [KEY]: string })[KEY] // maps objects to objects, and texts to texts
}
