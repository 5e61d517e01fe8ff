import type { IncomingMessage, ServerResponse } from 'node:http'

export declare function toRequest(req: IncomingMessage, res: ServerResponse): Request
export declare function writeResponse(res: ServerResponse, response: Response): Promise<void>
