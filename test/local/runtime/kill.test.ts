import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { controlOf } from '#local/runtime/control.ts'
import { startEmbeddedCloud } from '#local/runtime/embedded-cloud.ts'
import { findRunningCloud } from '#local/runtime/running-cloud.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { writeFlowBundles } from './flow-bundles.ts'

const folder = folderUntilEnd()

const kept = { pk: 'kept', text: 'text' }

it('loses nothing acknowledged at kill -9, and finishes running executions', async () => {
  const dataDir = join(folder, 'data')
  const bundles = await writeFlowBundles(join(folder, 'assembly'))
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../support/run-cloud.ts'), dataDir, '{}', bundles],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let functionPid = 0
  try {
    await once(child.stdout, 'data')
    const running = await findRunningCloud(dataDir)
    if (!running) throw new Error('the cloud has not announced itself')
    const { machines } = controlOf(running)
    const machineArn = running.outputs['ImportMachineArn'] ?? ''
    expect(
      await (await fetch(`${running.api}/items/kept`, { method: 'POST', body: 'text' })).json(),
    ).toMatchObject(kept)
    await machines.start({ machineArn, name: 'failed', input: { do: 'fail' } })
    await expect
      .poll(() => machines.describe({ machineArn, name: 'failed' }))
      .toMatchObject({ status: 'FAILED' })
    await machines.start({ machineArn, name: 'pid', input: { do: 'pid' } })
    const output = async () => (await machines.describe({ machineArn, name: 'pid' }))?.output
    await expect.poll(output).toMatch(/^\d+$/)
    functionPid = Number(await output())
    expect(() => process.kill(functionPid, 0)).not.toThrow()
    await machines.start({ machineArn, name: 'under-way', input: { do: 'wait', ms: 1000 } })
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  // Its functions end with it.
  await vi.waitFor(() => expect(() => process.kill(functionPid, 0)).toThrow(), { timeout: 60_000 })

  const cloud = await startEmbeddedCloud({ dataDir, bundles })
  try {
    const { ItemTable = '', ImportMachineArn: machineArn = '' } = cloud.describeOutputs()
    const describe = () => cloud.host.machines.describe({ machineArn, name: 'under-way' })
    await expect.poll(describe).toMatchObject({ status: 'SUCCEEDED', output: '"waited"' })
    expect(await (await fetch(`${cloud.api}/items/kept`)).json()).toMatchObject(kept)
    const end = await cloud.items(ItemTable).get({ pk: 'end', sk: 'item' })
    expect(end).toMatchObject({ end: { name: 'failed', error: 'UserError' } })
  } finally {
    await cloud.close()
  }
})

it('rule 15: a step that crashes native code ends alone, again and again until its failure call; the others go on', async () => {
  const bundles = await writeFlowBundles(join(folder, 'crashing'))
  const cloud = await startEmbeddedCloud({ dataDir: join(folder, 'crashing-data'), bundles })
  try {
    const { ImportMachineArn: machineArn = '' } = cloud.describeOutputs()
    const { machines } = cloud.host
    await machines.start({ machineArn, name: 'beside', input: { do: 'wait', ms: 3_000 } })
    await machines.start({ machineArn, name: 'crashing', input: { do: 'crash' } })
    await expect
      .poll(() => machines.describe({ machineArn, name: 'beside' }))
      .toMatchObject({ status: 'SUCCEEDED', output: '"waited"' })
    await expect
      .poll(() => machines.describe({ machineArn, name: 'crashing' }))
      .toMatchObject({
        status: 'FAILED',
        error: 'Runtime.ExitError',
        cause: expect.stringContaining('SIGSEGV'),
      })
  } finally {
    await cloud.close()
  }
})
