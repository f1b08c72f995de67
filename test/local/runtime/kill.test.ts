import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn'
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { expect, it } from 'vitest'
import { startEmbeddedCloud } from '#local/runtime/embedded-cloud.ts'
import { findRunningCloud } from '#local/runtime/running-cloud.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { writeAssembly } from './fixture-assembly.ts'
import { fixtureTemplate } from './fixture-stack.ts'

const folder = folderUntilEnd()

const clients = ({
  region,
  accessKeyId,
  secretAccessKey,
  control,
}: Record<'region' | 'accessKeyId' | 'secretAccessKey' | 'control', string>) => {
  const common = { region, credentials: { accessKeyId, secretAccessKey } }
  return {
    sfn: new SFNClient({ ...common, endpoint: control }),
    sqs: new SQSClient({ ...common, endpoint: control }),
  }
}

const kept = { pk: 'kept', text: 'text' }

it('loses nothing acknowledged at kill -9, and finishes running executions', async () => {
  const dataDir = join(folder, 'data')
  const assembly = await writeAssembly(join(folder, 'assembly'), fixtureTemplate, ['flow'])
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start-cloud.ts'), dataDir, assembly], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let executionArn: string | undefined
  try {
    await once(child.stdout, 'data')
    const running = await findRunningCloud(dataDir)
    if (!running) throw new Error('the cloud has not announced itself')
    const { sfn, sqs } = clients(running)
    const { DeadLetters, ImportMachineArn } = running.outputs
    expect(
      await (await fetch(`${running.api}/items/kept`, { method: 'POST', body: 'text' })).json(),
    ).toMatchObject(kept)
    await sqs.send(new SendMessageCommand({ QueueUrl: DeadLetters, MessageBody: 'a message' }))
    const input = JSON.stringify({ do: 'wait', ms: 1000 })
    ;({ executionArn } = await sfn.send(
      new StartExecutionCommand({ stateMachineArn: ImportMachineArn, input, name: 'under-way' }),
    ))
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  const cloud = await startEmbeddedCloud({ dataDir, assembly })
  try {
    const { sfn, sqs } = clients(cloud)
    const { DeadLetters } = cloud.describeOutputs()
    const describe = () => sfn.send(new DescribeExecutionCommand({ executionArn }))
    await expect.poll(describe).toMatchObject({ status: 'SUCCEEDED', output: '"waited"' })
    expect(await (await fetch(`${cloud.api}/items/kept`)).json()).toMatchObject(kept)
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: DeadLetters }))
    expect(Messages?.map(({ Body }) => Body)).toEqual(['a message'])
  } finally {
    await cloud.close()
  }
})
