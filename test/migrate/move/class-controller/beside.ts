import express, { type Express, type Request, type RequestHandler, type Response, Router } from "express";
import { fromExpress, native, sendValue } from "routecontrollers/express";

function logged(_target: unknown, _context: unknown): void {}
function Get(_path: string) {
  return (_target: unknown, _context: unknown): void => {};
}

class TeaController {
  public readonly path = "/teas";
  public readonly router: Router = Router();
  private readonly teas = new Map<string, string>([["1", "Assam"]]);

  constructor(private readonly guard: RequestHandler) {
    this.initializeRoutes();
  }

  private initializeRoutes(): void {
    this.router.get(this.path, this.guard, native((_req, res) => {
      return res.json([...this.teas.values()]);
    }), this.list);
    this.router.get(`${this.path}/:id`, native((req, res) => {
      const tea = this.teas.get(req.params["id"] as string);
      if (tea === undefined) return res.status(404).text('Not Found');
      else return sendValue(res, tea);
    }), this.find.bind(this));
    this.router.post<unknown, { made: string }>(this.path, this.guard, native(fromExpress<unknown, { made: string }>((_req, res) => {
      res.status(201).json({ made: "it" });
    })), (_req, res) => {
      res.status(201).json({ made: "it" });
    });
  }

  // A decorator is no route.
  @logged
  list = (_req: Request, res: Response): void => {
    res.json([...this.teas.values()]);
  };

  @Get("/nothing")
  find(req: Request, res: Response): void {
    const tea = this.teas.get(req.params["id"] as string);
    if (tea === undefined) res.sendStatus(404);
    else res.send(tea);
  }
}

class App {
  readonly app: Express = express();

  constructor(controllers: readonly TeaController[]) {
    for (const { router } of controllers) this.app.use("/", router);
    this.app.get("/", native((_req, res) => res.html("home")), (_req, res) => void res.send("home"));
  }
}

export default new App([new TeaController((req, _res, next) => (req.query["no"] ? next(new Error("no")) : next()))]).app;
