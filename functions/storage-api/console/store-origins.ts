/**
 * Where browsers send the content of files: the object store, as the addresses that we sign name it.
 *
 * @param endpoint of a store of our own; undefined is Amazon S3
 */
export const storeOrigins = (bucket: string, region: string, endpoint: string | undefined): string[] => {
  if (endpoint !== undefined && endpoint !== '') return [new URL(endpoint).origin]
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  return [`https://${bucket}.s3.${region}.${domain}`, `https://${bucket}.s3.${domain}`]
}
