export interface paths {
    "/api/bars/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the bars */
        get: operations["listBars"];
        put?: never;
        /** Create a bar */
        post: operations["createBar"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bars/{bar_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one bar */
        get: operations["readBar"];
        /** Replace a bar */
        put: operations["replaceBar"];
        post?: never;
        /** Delete a bar */
        delete: operations["deleteBar"];
        options?: never;
        head?: never;
        /** Change some fields of a bar */
        patch: operations["patchBar"];
        trace?: never;
    };
    "/api/foos/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the foos */
        get: operations["listFoos"];
        put?: never;
        /** Create a foo */
        post: operations["createFoo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/foos/{foo_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one foo */
        get: operations["readFoo"];
        /** Replace a foo */
        put: operations["replaceFoo"];
        post?: never;
        /** Delete a foo */
        delete: operations["deleteFoo"];
        options?: never;
        head?: never;
        /** Change some fields of a foo */
        patch: operations["patchFoo"];
        trace?: never;
    };
    "/api/foos/choices/bar/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what the bar of a foo can refer to */
        get: operations["listFooBarChoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/colere/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the most recently created colere */
        get: operations["readLastColere"];
        put?: never;
        /** Create a colere */
        post: operations["createColere"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/colere/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one colere */
        get: operations["readColere"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bottage/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the bottages */
        get: operations["listBottages"];
        put?: never;
        /** Create a bottage */
        post: operations["createBottage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bottage/last": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the most recently created bottage */
        get: operations["readLastBottage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bottage/{bottage}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one bottage */
        get: operations["readBottage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bottage/choices/colere/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what the colere of a bottage can refer to */
        get: operations["listBottageColereChoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Links to the collections, the contract and the documentation */
        get: operations["readLinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["readContract"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The documentation, for a person with a browser */
        get: operations["readDocumentation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the documentation is made of */
        get: operations["readDocumentationFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/problems/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the type of a problem means */
        get: operations["readProblem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process is up */
        get: operations["readLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the database answers and its schema is current */
        get: operations["readReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the process has counted, as Prometheus reads it */
        get: operations["readMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description A bar, as it is read
         * @example {
         *       "id": 1,
         *       "name": "Bar one"
         *     }
         */
        Bar: {
            /** Format: int64 */
            id: number;
            name: string;
        };
        /**
         * @description A bar, as it is written
         * @example {
         *       "name": "Bar one"
         *     }
         */
        BarWrite: {
            name: string;
        };
        /**
         * @description The fields of a bar to change; the others stay as they are
         * @example {
         *       "name": "Bar one"
         *     }
         */
        BarPatch: {
            name?: string;
        };
        /**
         * @description A page of bars
         * @example {
         *       "items": [
         *         {
         *           "id": 1,
         *           "name": "Bar one"
         *         }
         *       ],
         *       "next": null
         *     }
         */
        BarList: {
            items: components["schemas"]["Bar"][];
            /** @description The path of the next page; null on the last */
            next: string | null;
        };
        /**
         * @description A foo, as it is read
         * @example {
         *       "id": 1,
         *       "name": "Foo one",
         *       "bar": {
         *         "id": 1,
         *         "name": "Bar one"
         *       }
         *     }
         */
        Foo: {
            /** Format: int64 */
            id: number;
            name: string;
            bar: components["schemas"]["Bar"];
        };
        /**
         * @description A foo, as it is written
         * @example {
         *       "name": "Foo one",
         *       "bar": 1
         *     }
         */
        FooWrite: {
            name: string;
            /**
             * Format: int64
             * @description The identifier of a bar
             */
            bar: number;
        };
        /**
         * @description The fields of a foo to change; the others stay as they are
         * @example {
         *       "name": "Foo one",
         *       "bar": 1
         *     }
         */
        FooPatch: {
            name?: string;
            /**
             * Format: int64
             * @description The identifier of a bar
             */
            bar?: number;
        };
        /**
         * @description A page of foos
         * @example {
         *       "items": [
         *         {
         *           "id": 1,
         *           "name": "Foo one",
         *           "bar": {
         *             "id": 1,
         *             "name": "Bar one"
         *           }
         *         }
         *       ],
         *       "next": null
         *     }
         */
        FooList: {
            items: components["schemas"]["Foo"][];
            /** @description The path of the next page; null on the last */
            next: string | null;
        };
        /**
         * @description A colere, as it is read
         * @example {
         *       "id": 1,
         *       "name": "Colere one"
         *     }
         */
        Colere: {
            /** Format: int64 */
            id: number;
            name: string;
        };
        /**
         * @description A colere, as it is written
         * @example {
         *       "name": "Colere one"
         *     }
         */
        ColereWrite: {
            /** @default  */
            name: string;
        };
        /**
         * @description A bottage, as it is read
         * @example {
         *       "bottage": 1,
         *       "cul": "Hello",
         *       "colere": 1,
         *       "date": "2026-11-21 09:30:00"
         *     }
         */
        Bottage: {
            /** Format: int64 */
            bottage: number;
            cul: string;
            /** Format: int64 */
            colere: number;
            date: string;
        };
        /**
         * @description A bottage, as it is written
         * @example {
         *       "cul": "Hello",
         *       "colere": 1
         *     }
         */
        BottageWrite: {
            cul: string;
            /**
             * Format: int64
             * @description The identifier of a colere
             */
            colere: number;
        };
        /**
         * @description A page of bottages
         * @example {
         *       "items": [
         *         {
         *           "bottage": 1,
         *           "cul": "Hello",
         *           "colere": 1,
         *           "date": "2026-11-21 09:30:00"
         *         }
         *       ],
         *       "next": null
         *     }
         */
        BottageList: {
            items: components["schemas"]["Bottage"][];
            /** @description The path of the next page; null on the last */
            next: string | null;
        };
        /** @description A page of the candidates of a relation */
        Choices: {
            /** @description From identifier to display text */
            choices: {
                [key: string]: string;
            };
            /** @description The path of the next page; null on the last */
            next: string | null;
        };
        /** @description Why a request was refused, or failed */
        Problem: {
            /**
             * Format: uri-reference
             * @description A path that explains it
             */
            type: string;
            title: string;
            status: number;
            detail: string;
            /**
             * Format: uri
             * @description The request, as the log names it
             */
            instance: string;
        };
        /** @description Why a body was refused, field by field */
        Invalid: components["schemas"]["Problem"] & {
            errors: components["schemas"]["Failure"][];
        };
        /** @description What fails: a field, or the body as a whole */
        Failure: {
            /** @description The field, as a JSON Pointer (RFC 6901); empty for the whole body */
            pointer: string;
            /**
             * @description What is wrong; codes may be added
             * @example required
             * @example unknown_field
             * @example incorrect_type
             * @example too_long
             * @example invalid_text
             * @example reused_key
             * @example rejected
             * @example does_not_exist
             */
            code: string;
            detail: string;
        };
    };
    responses: {
        /** @description Invalid header, or Invalid query parameter, or Malformed body, or Malformed request */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                traceparent: components["headers"]["Traceparent"];
                "Cache-Control": components["headers"]["CacheControl"];
                Connection: components["headers"]["Connection"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not found */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                traceparent: components["headers"]["Traceparent"];
                "Cache-Control": components["headers"]["CacheControl"];
                Connection: components["headers"]["Connection"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not acceptable */
        NotAcceptable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                traceparent: components["headers"]["Traceparent"];
                "Cache-Control": components["headers"]["CacheControl"];
                Connection: components["headers"]["Connection"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Request timeout */
        RequestTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                traceparent: components["headers"]["Traceparent"];
                "Cache-Control": components["headers"]["CacheControl"];
                Connection: components["headers"]["Connection"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description In progress, or Still referenced */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                traceparent: components["headers"]["Traceparent"];
                "Cache-Control": components["headers"]["CacheControl"];
                Connection: components["headers"]["Connection"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Precondition failed */
        PreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                traceparent: components["headers"]["Traceparent"];
                "Cache-Control": components["headers"]["CacheControl"];
                Connection: components["headers"]["Connection"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Content too large */
        ContentTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                traceparent: components["headers"]["Traceparent"];
                "Cache-Control": components["headers"]["CacheControl"];
                Connection: components["headers"]["Connection"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unsupported media type */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                traceparent: components["headers"]["Traceparent"];
                "Cache-Control": components["headers"]["CacheControl"];
                Connection: components["headers"]["Connection"];
                Accept: components["headers"]["Accept"];
                "Accept-Encoding": components["headers"]["AcceptEncoding"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Invalid */
        Unprocessable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                traceparent: components["headers"]["Traceparent"];
                "Cache-Control": components["headers"]["CacheControl"];
                Connection: components["headers"]["Connection"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Invalid"];
            };
        };
        /** @description Internal error */
        InternalServerError: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                traceparent: components["headers"]["Traceparent"];
                "Cache-Control": components["headers"]["CacheControl"];
                Connection: components["headers"]["Connection"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unavailable */
        ServiceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                traceparent: components["headers"]["Traceparent"];
                "Cache-Control": components["headers"]["CacheControl"];
                Connection: components["headers"]["Connection"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Out of time */
        GatewayTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                traceparent: components["headers"]["Traceparent"];
                "Cache-Control": components["headers"]["CacheControl"];
                Connection: components["headers"]["Connection"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The request, as the log names it */
        RequestId: string;
        /** @description The part of a trace that the request was (W3C Trace Context): of the trace that its own traceparent names, or of a new one */
        Traceparent: string;
        /** @description Caches ask for every answer anew */
        CacheControl: "no-cache";
        /** @description Where the created object is read */
        Location: string;
        /** @description The next page, as `<path>; rel="next"`, but on the last; a deprecated operation has more links */
        Link: string;
        /** @description Tells this representation from any other */
        ETag: string;
        /** @description The media types that the body may be of */
        Accept: string;
        /** @description How the body may be packed, where that is what was refused: not at all */
        AcceptEncoding: "identity";
        /** @description Seconds until another try is worth it */
        RetryAfter: number;
        /** @description The headers of the request that the answer depends on */
        Vary: string;
        /** @description How the body is packed */
        ContentEncoding: "gzip";
        /** @description Browsers guess no other media type */
        ContentTypeOptions: "nosniff";
        /** @description What the page may load and ask for */
        ContentSecurityPolicy: string;
        /** @description The connection serves no other request, as when the server ends */
        Connection: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listBars: {
        parameters: {
            query?: {
                /** @description How many items a page has at most */
                limit?: number;
                /** @description Where the page begins: an opaque value, taken from `next` */
                cursor?: string;
                /** @description The order; a minus reads it backwards */
                sort?: "id" | "-id" | "name" | "-name";
                /** @description The exact name */
                name?: string;
                /** @description Text that the name contains, in whatever case */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of bars */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": 1,
                     *           "name": "Bar one"
                     *         }
                     *       ],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["BarList"];
                };
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    createBar: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request once, however often it is sent with this key */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Bar one"
                 *     }
                 */
                "application/json": components["schemas"]["BarWrite"];
            };
        };
        responses: {
            /** @description The bar */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Bar one"
                     *     }
                     */
                    "application/json": components["schemas"]["Bar"];
                };
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    readBar: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tags of what the client wants; nothing else is answered */
                "If-Match"?: string;
                /** @description The tags of what the client has */
                "If-None-Match"?: string;
            };
            path: {
                bar_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bar */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Bar one"
                     *     }
                     */
                    "application/json": components["schemas"]["Bar"];
                };
            };
            /** @description The client has it already */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            412: components["responses"]["PreconditionFailed"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    replaceBar: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tags of what the client has seen; nothing else is written */
                "If-Match"?: string;
                /** @description The tags of what is not to be written */
                "If-None-Match"?: string;
            };
            path: {
                bar_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Bar one"
                 *     }
                 */
                "application/json": components["schemas"]["BarWrite"];
            };
        };
        responses: {
            /** @description The bar */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Bar one"
                     *     }
                     */
                    "application/json": components["schemas"]["Bar"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    deleteBar: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tags of what the client has seen; nothing else is written */
                "If-Match"?: string;
                /** @description The tags of what is not to be written */
                "If-None-Match"?: string;
            };
            path: {
                bar_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["Unprocessable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    patchBar: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tags of what the client has seen; nothing else is written */
                "If-Match"?: string;
                /** @description The tags of what is not to be written */
                "If-None-Match"?: string;
            };
            path: {
                bar_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Bar one"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["BarPatch"];
                /**
                 * @example {
                 *       "name": "Bar one"
                 *     }
                 */
                "application/json": components["schemas"]["BarPatch"];
            };
        };
        responses: {
            /** @description The bar */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Bar one"
                     *     }
                     */
                    "application/json": components["schemas"]["Bar"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    listFoos: {
        parameters: {
            query?: {
                /** @description How many items a page has at most */
                limit?: number;
                /** @description Where the page begins: an opaque value, taken from `next` */
                cursor?: string;
                /** @description The order; a minus reads it backwards */
                sort?: "id" | "-id" | "name" | "-name";
                /** @description The exact name */
                name?: string;
                /** @description Text that the name contains, in whatever case */
                q?: string;
                bar?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of foos */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": 1,
                     *           "name": "Foo one",
                     *           "bar": {
                     *             "id": 1,
                     *             "name": "Bar one"
                     *           }
                     *         }
                     *       ],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["FooList"];
                };
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    createFoo: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request once, however often it is sent with this key */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Foo one",
                 *       "bar": 1
                 *     }
                 */
                "application/json": components["schemas"]["FooWrite"];
            };
        };
        responses: {
            /** @description The foo */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Foo one",
                     *       "bar": {
                     *         "id": 1,
                     *         "name": "Bar one"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Foo"];
                };
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    readFoo: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tags of what the client wants; nothing else is answered */
                "If-Match"?: string;
                /** @description The tags of what the client has */
                "If-None-Match"?: string;
            };
            path: {
                foo_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The foo */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Foo one",
                     *       "bar": {
                     *         "id": 1,
                     *         "name": "Bar one"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Foo"];
                };
            };
            /** @description The client has it already */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            412: components["responses"]["PreconditionFailed"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    replaceFoo: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tags of what the client has seen; nothing else is written */
                "If-Match"?: string;
                /** @description The tags of what is not to be written */
                "If-None-Match"?: string;
            };
            path: {
                foo_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Foo one",
                 *       "bar": 1
                 *     }
                 */
                "application/json": components["schemas"]["FooWrite"];
            };
        };
        responses: {
            /** @description The foo */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Foo one",
                     *       "bar": {
                     *         "id": 1,
                     *         "name": "Bar one"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Foo"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    deleteFoo: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tags of what the client has seen; nothing else is written */
                "If-Match"?: string;
                /** @description The tags of what is not to be written */
                "If-None-Match"?: string;
            };
            path: {
                foo_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["Unprocessable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    patchFoo: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tags of what the client has seen; nothing else is written */
                "If-Match"?: string;
                /** @description The tags of what is not to be written */
                "If-None-Match"?: string;
            };
            path: {
                foo_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Foo one",
                 *       "bar": 1
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["FooPatch"];
                /**
                 * @example {
                 *       "name": "Foo one",
                 *       "bar": 1
                 *     }
                 */
                "application/json": components["schemas"]["FooPatch"];
            };
        };
        responses: {
            /** @description The foo */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Foo one",
                     *       "bar": {
                     *         "id": 1,
                     *         "name": "Bar one"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Foo"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    listFooBarChoices: {
        parameters: {
            query?: {
                /** @description How many items a page has at most */
                limit?: number;
                /** @description Where the page begins: an opaque value, taken from `next` */
                cursor?: string;
                /** @description Text that the display text contains, in whatever case */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of candidates */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "choices": {
                     *         "1": "Bar one"
                     *       },
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["Choices"];
                };
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    readLastColere: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tags of what the client wants; nothing else is answered */
                "If-Match"?: string;
                /** @description The tags of what the client has */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The colere */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Colere one"
                     *     }
                     */
                    "application/json": components["schemas"]["Colere"];
                };
            };
            /** @description The client has it already */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            412: components["responses"]["PreconditionFailed"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    createColere: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request once, however often it is sent with this key */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Colere one"
                 *     }
                 */
                "application/json": components["schemas"]["ColereWrite"];
            };
        };
        responses: {
            /** @description The colere */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Colere one"
                     *     }
                     */
                    "application/json": components["schemas"]["Colere"];
                };
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    readColere: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tags of what the client wants; nothing else is answered */
                "If-Match"?: string;
                /** @description The tags of what the client has */
                "If-None-Match"?: string;
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The colere */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Colere one"
                     *     }
                     */
                    "application/json": components["schemas"]["Colere"];
                };
            };
            /** @description The client has it already */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            412: components["responses"]["PreconditionFailed"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    listBottages: {
        parameters: {
            query?: {
                /** @description How many items a page has at most */
                limit?: number;
                /** @description Where the page begins: an opaque value, taken from `next` */
                cursor?: string;
                /** @description The order; a minus reads it backwards */
                sort?: "id" | "-id";
                colere?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of bottages */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "bottage": 1,
                     *           "cul": "Hello",
                     *           "colere": 1,
                     *           "date": "2026-11-21 09:30:00"
                     *         }
                     *       ],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["BottageList"];
                };
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    createBottage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request once, however often it is sent with this key */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cul": "Hello",
                 *       "colere": 1
                 *     }
                 */
                "application/json": components["schemas"]["BottageWrite"];
            };
        };
        responses: {
            /** @description The bottage */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bottage": 1,
                     *       "cul": "Hello",
                     *       "colere": 1,
                     *       "date": "2026-11-21 09:30:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Bottage"];
                };
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    readLastBottage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tags of what the client wants; nothing else is answered */
                "If-Match"?: string;
                /** @description The tags of what the client has */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bottage */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bottage": 1,
                     *       "cul": "Hello",
                     *       "colere": 1,
                     *       "date": "2026-11-21 09:30:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Bottage"];
                };
            };
            /** @description The client has it already */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            412: components["responses"]["PreconditionFailed"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    readBottage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tags of what the client wants; nothing else is answered */
                "If-Match"?: string;
                /** @description The tags of what the client has */
                "If-None-Match"?: string;
            };
            path: {
                bottage: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bottage */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bottage": 1,
                     *       "cul": "Hello",
                     *       "colere": 1,
                     *       "date": "2026-11-21 09:30:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Bottage"];
                };
            };
            /** @description The client has it already */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            412: components["responses"]["PreconditionFailed"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    listBottageColereChoices: {
        parameters: {
            query?: {
                /** @description How many items a page has at most */
                limit?: number;
                /** @description Where the page begins: an opaque value, taken from `next` */
                cursor?: string;
                /** @description Text that the display text contains, in whatever case */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of candidates */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "choices": {
                     *         "1": "Colere one"
                     *       },
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["Choices"];
                };
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    readLinks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Links to the collections, the contract and the documentation */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        service: "relata";
                        version: string;
                        links: {
                            [key: string]: string;
                        };
                    };
                };
            };
            /** @description To /docs/, for a client that prefers text/html */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    Location: components["headers"]["Location"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    readContract: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tags of what the client wants; nothing else is answered */
                "If-Match"?: string;
                /** @description The tags of what the client has */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description This document */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        openapi: "3.1.0";
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The client has it already */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            412: components["responses"]["PreconditionFailed"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    readDocumentation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tags of what the client wants; nothing else is answered */
                "If-Match"?: string;
                /** @description The tags of what the client has */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The documentation, for a person with a browser */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    "X-Content-Type-Options": components["headers"]["ContentTypeOptions"];
                    "Content-Security-Policy": components["headers"]["ContentSecurityPolicy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has it already */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    Vary: components["headers"]["Vary"];
                    "X-Content-Type-Options": components["headers"]["ContentTypeOptions"];
                    "Content-Security-Policy": components["headers"]["ContentSecurityPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            412: components["responses"]["PreconditionFailed"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    readDocumentationFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The tags of what the client wants; nothing else is answered */
                "If-Match"?: string;
                /** @description The tags of what the client has */
                "If-None-Match"?: string;
            };
            path: {
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the documentation is made of */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    "X-Content-Type-Options": components["headers"]["ContentTypeOptions"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "text/css": string;
                    "text/javascript": string;
                };
            };
            /** @description The client has it already */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    ETag: components["headers"]["ETag"];
                    Vary: components["headers"]["Vary"];
                    "X-Content-Type-Options": components["headers"]["ContentTypeOptions"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            412: components["responses"]["PreconditionFailed"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    readProblem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the type of a problem means */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        code: string;
                        status?: number;
                        title: string;
                        meaning: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    readLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the process is up */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "live";
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    readReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the database answers and its schema is current */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ready";
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
    readMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the process has counted, as Prometheus reads it */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    traceparent: components["headers"]["Traceparent"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Connection: components["headers"]["Connection"];
                    "X-Content-Type-Options": components["headers"]["ContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
        };
    };
}
