import { accountId, region } from '../s3/account.ts'

/** `arn:aws:<service>:us-east-1:000000000000:<rest>` */
export const arn = (service: string, rest: string): string =>
  `arn:aws:${service}:${region}:${accountId}:${rest}`
