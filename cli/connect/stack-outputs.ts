import { UserError } from '../../functions/lib/errors/errors.ts'

/** The outputs of a CloudFormation stack by name. Error: `cli.noStack`. */
export const describeStack = async (name: string): Promise<Readonly<Record<string, string>>> => {
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation')
  const client = new CloudFormationClient({})
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }))
    const outputs = (Stacks[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [
      OutputKey,
      OutputValue,
    ])
    return Object.fromEntries(outputs)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UserError('cli.noStack', `The stack ${name} cannot be read: ${reason}`, { cause })
  } finally {
    client.destroy()
  }
}
