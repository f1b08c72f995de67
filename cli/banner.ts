import { styleText } from 'node:util'
import type { CloudFacts } from '../local/runtime/embedded-cloud.ts'

/** What a person needs to begin, for the terminal at which the cloud was started. */
export const banner = (
  cloud: CloudFacts,
  { hasConsole, stream }: { hasConsole: boolean; stream: NodeJS.WriteStream },
): string => {
  const bold = (text: string) => styleText('bold', text, { stream })
  const exports = {
    AWS_ENDPOINT_URL_S3: cloud.s3,
    AWS_REGION: cloud.region,
    AWS_ACCESS_KEY_ID: cloud.accessKeyId,
    AWS_SECRET_ACCESS_KEY: cloud.secretAccessKey,
    MILLRACE_URL: cloud.api,
    ...(cloud.token !== undefined && { MILLRACE_TOKEN: cloud.token }),
    ...(cloud.landingBucket !== undefined && { LANDING: cloud.landingBucket }),
  }
  return [
    '',
    bold('Millrace is ready: drop a file, get a table.'),
    '',
    `  storage API  ${cloud.api}`,
    `  S3           ${cloud.s3}`,
    ...(hasConsole ? [`  console      ${cloud.api}/console`] : []),
    '',
    ...Object.entries(exports).map(([name, value]) => `export ${name}=${value}`),
    '',
    ...(cloud.landingBucket === undefined
      ? []
      : [
          `aws s3 cp orders.csv s3://${cloud.landingBucket}/in.c-main/orders.csv`,
          'npx millrace wait in.c-main/orders.csv',
        ]),
    'npx millrace status',
    '',
  ]
    .map(line => `${line}\n`)
    .join('')
}
