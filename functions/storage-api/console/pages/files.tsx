import { GetObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { readManifest } from '#lib/storage/files/read-manifest.ts'
import type { S3With } from '#lib/storage-client/s3-with-credentials.ts'
import { type FileBody, fileBody, readableFileBody } from '#lib/wire/file-body.ts'
import { type ApiClient, path, query } from '../api-client.ts'
import { bytes } from '../format.ts'
import { Confirm, SearchForm } from '../forms.tsx'
import { List } from '../list.tsx'
import { Empty, Facts, Time } from '../parts.tsx'
import { form, page } from '../route.ts'

const FILES_SHOWN = 100

const sizeOf = ({ isSliced, sizeBytes }: FileBody): string => (isSliced ? 'sliced' : bytes(sizeBytes))

export const filePages = [
  page('/console/files', async ({ client, query: { q = '' } }) => {
    const files = await client.list(`files${query({ q, limit: FILES_SHOWN })}`, fileBody)
    return {
      title: 'Files',
      body: (
        <>
          <SearchForm
            to="/console/files"
            q={q}
            label={
              <>
                Search, such as <code>tags:export</code> or a part of the name
              </>
            }
          />
          <List
            caption="Files"
            of={files}
            empty={
              <Empty icon="file" action={<a href="/console/drop">Drop a file</a>}>
                {q === '' ? 'No file yet.' : 'No file matches.'}
              </Empty>
            }
            columns={[
              ['File', ({ id, name }) => <a href={`/console/files/${id}`}>{name || id}</a>, 'name'],
              ['Size', sizeOf, 'number'],
              ['Tags', ({ tags }) => tags.join(', ')],
              ['Created', ({ created }) => <Time at={created} />],
              ['Id', ({ id }) => id, 'number'],
            ]}
          />
        </>
      ),
    }
  }),
  page('/console/files/:id', async ({ client, s3With, params: { id } }) => {
    const file = await client.get(path`files/${id}`, fileBody)
    return {
      title: file.name || `File ${file.id}`,
      body: (
        <>
          <Facts
            of={[
              ['Id', file.id],
              ['Size', sizeOf(file)],
              ['Tags', file.tags.join(', ') || '–'],
              ['Created', <Time at={file.created} />],
              ['Kept for', file.maxAgeDays === null ? 'good' : `${file.maxAgeDays} days`],
              ['Encrypted', file.isEncrypted ? 'yes' : 'no'],
              ['Run', file.runId || '–'],
            ]}
          />
          <div class="actions">
            {!file.isSliced && (
              <a class="btn btn-primary" href={file.url} rel="noreferrer">
                Download
              </a>
            )}
            <Confirm id="delete" verb="Delete the file" to={`/console/files/${file.id}/delete`}>
              Tables that were loaded from it stay. The file cannot be brought back.
            </Confirm>
          </div>
          {file.isSliced && <Slices file={file} links={await sliceLinks(client, s3With, file.id)} />}
        </>
      ),
    }
  }),
  form('/console/files/:id/delete', async ({ client, params: { id } }) => {
    await client.send('DELETE', path`files/${id}`)
    return { redirect: '/console/files', said: { text: 'The file was deleted.' } }
  }),
]

interface SlicesProps {
  file: FileBody
  /** Signed addresses, in order, each valid for an hour; the last of a file of very many slices are left out. */
  links: readonly (string | undefined)[]
}

const Slices = ({ file: { id }, links }: SlicesProps) => {
  const shown = links.filter(link => link !== undefined)
  return (
    <>
      <h2>Slices</h2>
      <ol>
        {shown.map((link, index) => (
          <li>
            <a href={link} rel="noreferrer">
              Slice {index + 1}
            </a>
          </li>
        ))}
      </ol>
      {shown.length < links.length && (
        <p class="hint">
          The first {shown.length} of {links.length}.
        </p>
      )}
      <p class="hint">
        Slices of CSV have no header line. <code>npx millrace download {id}</code> puts them together (with{' '}
        <code>--slices</code> it does not), and <code>npx millrace download TABLE</code> adds the header.
      </p>
    </>
  )
}

const EXPIRES_SECONDS = 3600
/** More are for the command line, which puts them together. */
const LINKS_SHOWN = 100

/** Where a browser gets the slices of a sliced file, with the rights that the caller has on it. */
const sliceLinks = async (
  client: ApiClient,
  s3With: S3With,
  fileId: number,
): Promise<(string | undefined)[]> => {
  const access = await client.get(`files/${fileId}${query({ federationToken: 1 })}`, readableFileBody)
  const s3 = s3With(access.region, access.credentials)
  try {
    const slices = await readManifest(s3, access.s3Path.bucket, access.s3Path.key)
    const links = slices.map(({ bucket, key }, index) => {
      if (index >= LINKS_SHOWN) return undefined
      const disposition = `attachment; filename="${key.split('/').at(-1)?.replaceAll('"', '') ?? 'slice'}"`
      const get = new GetObjectCommand({ Bucket: bucket, Key: key, ResponseContentDisposition: disposition })
      return getSignedUrl(s3, get, { expiresIn: EXPIRES_SECONDS })
    })
    return await Promise.all(links)
  } finally {
    s3.destroy()
  }
}
