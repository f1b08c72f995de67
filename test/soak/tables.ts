import { GetObjectCommand } from '@aws-sdk/client-s3'
import type { CloudFacts } from '../../local/runtime/embedded-cloud.ts'
import { callApi, NotAcknowledged, s3Of } from './client.ts'
import type { TableRow } from './model.ts'
import { rowsOfCsv } from './rows.ts'

/** All rows of a table, by its preview. Phases are made so that no table outgrows one. */
const mostRows = 1_000

/** Undefined when there is no such table. */
export const readTable = async (facts: CloudFacts, tableId: string): Promise<TableRow[] | undefined> => {
  const path = `tables/${tableId}/data-preview?format=json&limit=${mostRows}`
  const { status, body } = await callApi(facts, { path })
  if (status === 404) return undefined
  if (status !== 200) throw new NotAcknowledged(`${tableId}: ${status} ${JSON.stringify(body)}`)
  if (body.rows.length === mostRows) throw new Error(`${tableId} has outgrown its preview`)
  const at = (name: string) => body.columns.indexOf(name)
  const [id, value] = [at('id'), at('value')]
  return body.rows.map((cells: { value: string }[]) => ({
    id: cells[id]?.value ?? '',
    value: cells[value]?.value ?? '',
  }))
}

/** The content of an exported file, slice after slice. */
export const readExport = async (facts: CloudFacts, fileId: number): Promise<TableRow[]> => {
  const { body: file } = await callApi(facts, { path: `files/${fileId}` })
  const manifest = await fetch(file.url)
  if (!manifest.ok) throw new NotAcknowledged(`The manifest of ${fileId}: ${manifest.status}`)
  const { entries } = JSON.parse(await manifest.text())
  const slices: string[] = []
  for (const { url } of entries) {
    const { hostname, pathname } = new URL(url)
    slices.push(await readObject(facts, hostname, decodeURIComponent(pathname.slice(1))))
  }
  return rowsOfCsv(slices.join(''))
}

export const readObject = async (facts: CloudFacts, bucket: string, key: string): Promise<string> => {
  const s3 = s3Of(facts)
  try {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    return (await Body?.transformToString()) ?? ''
  } finally {
    s3.destroy()
  }
}
