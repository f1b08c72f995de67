import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts'
import { unlessNamed } from './machines.ts'
import type { AssumeRole } from './roles.ts'

// IAM: a role assumed by another role lasts one hour at most (User Guide, "Role chaining").
const SECONDS = 3600

let client: STSClient | undefined

export const assumeRoleOfSts: AssumeRole = async ({ roleArn, sessionName, policy }) => {
  client ??= new STSClient({})
  const command = new AssumeRoleCommand({
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    DurationSeconds: SECONDS,
    Policy: policy,
  })
  // STS packs a policy before it measures it, and says no more of that than how full it is.
  const answer = await client.send(command).catch(unlessNamed('PackedPolicyTooLargeException'))
  if (answer === undefined) return undefined
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = answer.Credentials ?? {}
  if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration)
    throw new Error('STS gave no credentials')
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: SessionToken,
    expiration: Expiration,
  }
}
