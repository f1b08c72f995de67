import { connectTarget } from './target.ts'

export const people = 'id,name,city,sex\n1,martin,PRG,male\n2,klara,PRG,female\n3,ondra,VAN,male\n'

/** What clients do with aliases: sources in one bucket, aliases in another. */
export const startAliases = async () => {
  const target = await connectTarget()
  const sourceBucket = await target.createBucket('sources')
  const aliasBucket = await target.createBucket('aliases')
  let names = 0
  const nextName = (): string => `t${++names}`

  const createTable = async (content = people, settings: object = {}): Promise<string> => {
    const dataFileId = await target.upload(content)
    const body = { name: nextName(), dataFileId, primaryKey: 'id', ...settings }
    return (await target.job('POST', `buckets/${sourceBucket}/tables-async`, body)).results.id
  }
  const sendAlias = (sourceTable: string, settings: object = {}) =>
    target.call('POST', `buckets/${aliasBucket}/table-aliases`, {
      sourceTable,
      name: nextName(),
      ...settings,
    })
  const createAlias = async (sourceTable: string, settings: object = {}): Promise<string> => {
    const { status, body, text } = await sendAlias(sourceTable, settings)
    if (status !== 201) throw new Error(text)
    return body.id
  }
  const detail = async (id: string) => (await target.call('GET', `tables/${id}`)).body
  const preview = async (id: string, query = ''): Promise<string[]> =>
    (await target.call('GET', `tables/${id}/data-preview${query}`)).text.trimEnd().split('\n')
  const exported = async (id: string, body: object = {}) => {
    const { results } = await target.job('POST', `tables/${id}/export-async`, body)
    const text = Buffer.concat(await target.downloadSlices(results.file.id)).toString()
    return { lines: text.trimEnd().split('\n').filter(Boolean).toSorted(), ...results }
  }
  const load = async (id: string, content: string, settings: object = {}) =>
    target.job('POST', `tables/${id}/import-async`, {
      dataFileId: await target.upload(content),
      ...settings,
    })

  return {
    target,
    sourceBucket,
    aliasBucket,
    nextName,
    createTable,
    sendAlias,
    createAlias,
    detail,
    preview,
    exported,
    load,
  }
}

export type Aliases = Awaited<ReturnType<typeof startAliases>>
