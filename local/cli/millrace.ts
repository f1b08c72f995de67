#!/usr/bin/env node
import { Command } from 'commander'
import { registerDownload } from './download.ts'
import { registerExecute } from './execute.ts'
import { registerExtract } from './extract.ts'
import { registerStart } from './start.ts'
import { registerUpload } from './upload.ts'

const program = new Command('millrace')
  .description('Drop a file, get a table: the one-machine cloud and its tools')
  .showHelpAfterError()

registerStart(program)
registerExecute(program)
registerExtract(program)
registerDownload(program)
registerUpload(program)

await program.parseAsync()
