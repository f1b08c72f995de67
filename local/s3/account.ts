/** The account that everything here belongs to. It may do everything; policies of roles say who else may what. */
export const accountId = '000000000000'

/** Where the account is. Signatures for another region are refused. */
export const region = 'us-east-1'

/** `arn:aws:<service>:us-east-1:000000000000:<rest>` */
export const arn = (service: string, rest: string): string =>
  `arn:aws:${service}:${region}:${accountId}:${rest}`

export const owner = { ID: accountId, DisplayName: 'local' }

export const ownersAcl = {
  Owner: owner,
  AccessControlList: {
    Grant: {
      Grantee: {
        '@xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
        '@xsi:type': 'CanonicalUser',
        ...owner,
      },
      Permission: 'FULL_CONTROL',
    },
  },
}
