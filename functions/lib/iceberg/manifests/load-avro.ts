/** Loaded with the first manifest: the library is large, and most requests read the heads of tables only. */
export const loadAvro = () => import('./avro-container.ts')
