import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What an API with TLS shows, as PEM, and the file of the certificate, which its clients are told to trust. */
interface Certificate {
  readonly certificate: string
  readonly key: string
  readonly file: string
}

/** The longest that all clients take. */
const DAYS = '825'

/**
 * The certificate `tls/NAME.crt` of the data directory with its key `tls/NAME.key`: what somebody put there, or one for the name and
 * every name below it, made by OpenSSL.
 */
export const certificateFor = async (name: string, dataDir: string): Promise<Certificate> => {
  const folder = join(dataDir, 'tls')
  await mkdir(folder, { recursive: true })
  const [file, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)]
  const read = () => Promise.all([readFile(file, 'utf8'), readFile(keyFile, 'utf8')])
  const [certificate, key] = await read().catch(async () => {
    await make(name, { file, keyFile })
    return read()
  })
  const { validToDate } = new X509Certificate(certificate)
  if (validToDate < new Date())
    throw new Error(
      `The certificate ${file} ended at ${validToDate.toISOString()}. Remove it, and a new one is made.`,
    )
  return { certificate, key, file }
}

const make = async (name: string, { file, keyFile }: { file: string; keyFile: string }): Promise<void> => {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile]
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name},DNS:*.${name}`]
  await promisify(execFile)('openssl', ['req', '-x509', ...key, '-out', file, '-days', DAYS, ...names]).catch(
    (cause: unknown) => {
      throw new Error(
        `No certificate could be made with openssl. Put one into ${file}, its key into ${keyFile}.`,
        {
          cause,
        },
      )
    },
  )
}
