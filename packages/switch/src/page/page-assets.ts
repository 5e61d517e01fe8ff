// Made by scripts/build-page.js of the files in browser/; a change is made there.
export const pageHtml: string = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<link rel="icon" href="data:," />
<title>Migration</title>
<style></style>
</head>
<body>
<a class="skip" href="#routes">Skip to the routes</a>
<header>
<h1>Migration</h1>
<p id="live" data-is="waiting">Connecting</p>
<p id="visitor"></p>
<p id="news" role="status" aria-live="polite"></p>
<p id="alarm" role="alert"></p>
</header>
<main>
<section aria-label="Summary">
<dl id="summary"></dl>
<div id="states" role="img"></div>
</section>
<section id="charts" aria-label="Charts"></section>
<section id="routes" aria-labelledby="routes-title" tabindex="-1">
<h2 id="routes-title">Routes</h2>
<form id="filters" role="search">
<label
>Filter
<input
id="filter"
type="search"
placeholder="path or method"
autocomplete="off"
spellcheck="false"
/></label>
<label
>State
<select id="by-state">
<option value="">all</option>
<option>legacy</option>
<option>shadow</option>
<option>canary</option>
<option>native</option>
</select></label
>
<label
>Show
<select id="by-kind">
<option value="">all</option>
<option value="differences">with differences</option>
<option value="failures">with 5xx</option>
<option value="dead">dead</option>
</select></label
>
<label
>Order
<select id="order">
<option value="list">of the list</option>
<option value="requests">most requests</option>
<option value="differences">most differences</option>
<option value="slow">slowest Controllers</option>
</select></label
>
<output id="count" for="filter by-state by-kind"></output>
<button type="button" id="change-many">Change a group</button>
</form>
<table role="table">
<thead role="rowgroup">
<tr role="row">
<th role="columnheader" scope="col">Route</th>
<th role="columnheader" scope="col">State</th>
<th role="columnheader" scope="col">Migrated</th>
<th role="columnheader" scope="col">Requests/s<small>legacy · native</small></th>
<th role="columnheader" scope="col">Legacy<small>p50 / p99 ms</small></th>
<th role="columnheader" scope="col">Native<small>p50 / p99 ms</small></th>
<th role="columnheader" scope="col">5xx<small>legacy · native</small></th>
<th role="columnheader" scope="col">Differences<small>open · of the last</small></th>
<th role="columnheader" scope="col">Last asked</th>
<th role="columnheader" scope="col"><span class="unseen">Change</span></th>
</tr>
</thead>
<tbody id="rows" role="rowgroup"></tbody>
</table>
<p id="none" hidden>No route is like that.</p>
<button type="button" id="more" hidden></button>
</section>
<section aria-labelledby="dead-title">
<h2 id="dead-title">Dead routes</h2>
<div id="dead"></div>
</section>
<section aria-labelledby="only-title">
<h2 id="only-title">Routes that no Controller has</h2>
<div id="only"></div>
</section>
<section aria-labelledby="history-title">
<h2 id="history-title">History</h2>
<ol id="history"></ol>
<button type="button" id="more-history" hidden></button>
</section>
</main>
<dialog id="dialog" aria-labelledby="dialog-title" aria-describedby="dialog-now">
<form id="change" method="dialog">
<h2 id="dialog-title"></h2>
<p id="dialog-now"></p>
<label id="group-label"
>Group
<select id="group"></select
></label>
<fieldset>
<legend>New state</legend>
<label
><input type="radio" name="state" value="legacy" required /> legacy
<small>the app as it was answers</small></label
>
<label
><input type="radio" name="state" value="shadow" /> shadow
<small>legacy answers, the Controller is compared</small></label
>
<label
><input type="radio" name="state" value="canary" /> canary
<input
id="percent"
type="number"
min="0"
max="100"
step="0.01"
value="5"
aria-label="Per cent of the clients"
/>
% <small>of the clients get the Controller</small></label
>
<label
><input type="radio" name="state" value="native" /> native
<small>the Controller answers</small></label
>
</fieldset>
<label>Reason <textarea id="reason" rows="2" maxlength="500" required></textarea></label>
<label><input id="sure" type="checkbox" required /> <span id="sure-text"></span></label>
<p id="problem" role="alert"></p>
<div class="buttons">
<button type="button" id="cancel">Cancel</button><button type="submit" id="confirm">Change</button>
</div>
</form>
</dialog>
<script></script>
</body>
</html>
`
export const pageStyle: string = `:root{color-scheme:light dark;--back: #fff;--card: #f6f7f9;--line: #d8dce3;--text: #1a1d23;--soft: #5a6270;--accent: #1d4ed8;--legacy: #64748b;--shadow: #7c3aed;--canary: #b45309;--native: #15803d;--bad: #b91c1c;--bad-back: #fef2f2;font:15px/1.45 system-ui,sans-serif}@media(prefers-color-scheme:dark){:root{--back: #111418;--card: #1a1f26;--line: #343c48;--text: #e6e9ee;--soft: #9aa4b2;--accent: #93b4ff;--legacy: #94a3b8;--shadow: #b79cff;--canary: #f0a747;--native: #4ade80;--bad: #fca5a5;--bad-back: #3b1618}}*{box-sizing:border-box}html{scroll-padding-top:5rem}body{margin:0 auto;max-width:1320px;padding:0 1.25rem 4rem;background:var(--back);color:var(--text)}[hidden]{display:none!important}.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;z-index:3;background:var(--back);padding:.4rem .8rem}.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}:focus-visible{outline:2px solid var(--accent);outline-offset:2px}header{position:sticky;top:0;z-index:2;display:flex;flex-wrap:wrap;align-items:baseline;gap:0 1rem;padding:.7rem 0 .5rem;background:var(--back);border-bottom:1px solid var(--line)}header p{margin:0;color:var(--soft)}h1{font-size:1.35rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .6rem}small{color:var(--soft);font-size:.8rem;font-weight:400}#live:before{content:"";display:inline-block;width:.6rem;height:.6rem;margin-right:.4rem;border-radius:50%;background:var(--canary)}#live[data-is=live]:before{background:var(--native)}#live[data-is=away]:before{background:var(--bad)}#visitor{margin-left:auto}#news,#alarm{flex-basis:100%;overflow-wrap:anywhere}#alarm:not(:empty){white-space:pre-line;margin-top:.4rem;padding:.4rem .7rem;border-radius:.4rem;background:var(--bad-back);color:var(--bad)}#summary{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.7rem;margin:1rem 0 .8rem}#summary div{padding:.6rem .8rem;border:1px solid var(--line);border-radius:.6rem;background:var(--card);min-width:0}dt{color:var(--soft);font-size:.85rem}dd{margin:0;font-size:1.4rem;font-weight:650;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}dd small{display:block;font-size:.8rem}.bad{color:var(--bad)}#states{display:flex;height:.7rem;border-radius:.35rem;overflow:hidden;gap:2px}#states span{min-width:3px}.fill-legacy{background:var(--legacy)}.fill-shadow{background:var(--shadow)}.fill-canary{background:var(--canary)}.fill-native{background:var(--native)}#charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:1rem;margin-top:1rem}figure{margin:0;padding:.7rem .8rem .4rem;border:1px solid var(--line);border-radius:.6rem;min-width:0}figcaption{display:flex;flex-wrap:wrap;gap:0 1rem;font-size:.85rem}figcaption b{flex-basis:100%;font-size:.95rem}.key{color:var(--soft);font-variant-numeric:tabular-nums}.key:before{content:"";display:inline-block;width:.9rem;height:3px;margin-right:.35rem;vertical-align:middle;background:var(--ink)}.ink-legacy{--ink: var(--legacy)}.ink-native{--ink: var(--native)}.ink-share{--ink: var(--accent)}svg{display:block;width:100%;height:9rem;margin-top:.3rem;overflow:visible}svg text{fill:var(--soft);font-size:11px}svg .grid{stroke:var(--line)}svg .line{fill:none;stroke:var(--ink);stroke-width:2;stroke-linejoin:round}svg .area{fill:var(--ink);fill-opacity:.12}svg .at{stroke:var(--soft);stroke-dasharray:3 3}#filters{display:flex;flex-wrap:wrap;gap:.6rem 1rem;align-items:center;margin-bottom:.6rem}#filters label{display:flex;gap:.4rem;align-items:center;color:var(--soft)}#count{color:var(--soft);margin-right:auto}input,select,textarea,button{font:inherit;color:inherit}input[type=search],input[type=number],select,textarea{background:var(--back);border:1px solid var(--line);border-radius:.4rem;padding:.35rem .5rem;min-width:0;max-width:100%}button{background:var(--card);border:1px solid var(--line);border-radius:.4rem;padding:.35rem .8rem;cursor:pointer}button:hover{border-color:var(--accent)}button:disabled{opacity:.5;cursor:default}table{width:100%;border-collapse:collapse}th{text-align:left;font-size:.85rem;vertical-align:bottom;padding:.3rem .6rem;border-bottom:1px solid var(--line)}th small{display:block;white-space:nowrap}td{padding:.45rem .6rem;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums;vertical-align:top}.open{display:flex;gap:.5rem;align-items:baseline;text-align:left;background:none;border:0;padding:.1rem .2rem;font:14px ui-monospace,monospace;overflow-wrap:anywhere}td.wide{min-width:15rem}tr:not(.more)>td:nth-child(n+3):nth-child(-n+7){white-space:nowrap}td>small{display:block}tr:not(.more)>td:last-child{text-align:right}.open:before{content:"\\25b8";color:var(--soft)}.open[aria-expanded=true]:before{content:"\\25be"}.open b{color:var(--soft);min-width:3.4rem}.badge{display:inline-block;border:1px solid;border-radius:1rem;padding:0 .6rem;white-space:nowrap;font-size:.85rem;font-weight:600}.is-legacy{color:var(--legacy)}.is-shadow{color:var(--shadow)}.is-canary{color:var(--canary)}.is-native{color:var(--native)}.bar{display:block;width:5rem;height:.35rem;margin-top:.25rem;border-radius:.2rem;background:var(--line);overflow:hidden}.bar span{display:block;height:100%;background:var(--native)}.more>td{background:var(--card);padding:.8rem 1rem 1rem}.facts{display:flex;flex-wrap:wrap;gap:.2rem 1.6rem;margin:0 0 .6rem;color:var(--soft)}.difference{margin:.6rem 0 0;padding:.6rem .8rem;background:var(--back);border:1px solid var(--line);border-radius:.5rem}.difference p{margin:0 0 .4rem;overflow-wrap:anywhere}.sides{display:grid;grid-template-columns:1fr 1fr;gap:.8rem}.sides>div{min-width:0;border-left:3px solid var(--ink);padding-left:.6rem}pre{margin:0;font:13px/1.4 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}ol,ul{margin:0;padding:0;list-style:none}#history li{display:grid;grid-template-columns:13.5rem minmax(0,1fr);gap:0 1rem;padding:.45rem 0;border-bottom:1px solid var(--line)}#history time,#history .why{color:var(--soft)}#history p{margin:0;overflow-wrap:anywhere}.list{display:flex;flex-wrap:wrap;gap:.3rem .6rem}.list li,code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}.list li{border:1px solid var(--line);border-radius:.4rem;padding:.1rem .5rem}dialog{width:min(34rem,calc(100vw - 1.5rem));max-height:calc(100dvh - 1.5rem);padding:1.2rem 1.4rem;background:var(--back);color:var(--text);border:1px solid var(--line);border-radius:.8rem}dialog::backdrop{background:#0008}dialog h2{margin:0;overflow-wrap:anywhere}dialog form>label{display:block;margin:.8rem 0}dialog form>label>select,textarea{display:block;width:100%;margin-top:.2rem}fieldset{border:1px solid var(--line);border-radius:.5rem;padding:.4rem .8rem .6rem;margin:.8rem 0;min-width:0}fieldset label{display:block;padding:.2rem 0}#percent{width:5rem}#problem{color:var(--bad);margin:.4rem 0;overflow-wrap:anywhere}.buttons{display:flex;justify-content:flex-end;gap:.7rem}#confirm{background:var(--accent);border-color:var(--accent);color:var(--back);font-weight:600}@media(max-width:1240px){body{padding:0 .8rem 3rem}thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}table,tbody{display:block}tbody>tr{display:grid;grid-template-columns:repeat(4,1fr);border:1px solid var(--line);border-radius:.6rem;padding:.4rem .3rem;margin-bottom:.7rem}tbody>tr.more{display:block;margin-top:-.7rem;border-top:0}tbody>tr.more td{border-radius:.6rem}td{border:0;padding:.25rem .5rem;min-width:0}td[data-label]:before{content:attr(data-label);display:block;color:var(--soft);font-size:.8rem}td.wide{grid-column:1 / -1;min-width:0}td.empty{display:none}td:nth-child(n+3){order:2}tr:not(.more)>td:last-child{order:1;grid-column:-2 / -1;grid-row:2;align-self:center}#filters label{flex:1 1 8rem}#filters select,#filters input{flex:1;width:100%}#filters label:first-child{flex-basis:100%}}@media(max-width:600px){#summary,tbody>tr{grid-template-columns:1fr 1fr}#history li,.sides{grid-template-columns:1fr}}@media(prefers-reduced-motion:no-preference){.bar span,#states span{transition:width .3s,flex-grow .3s}}`
export const pageScript: string = `"use strict";(()=>{function f(e){return document.getElementById(e)}function r(e,t={},...s){let o=document.createElement(e);for(let[n,i]of Object.entries(t))o.setAttribute(n,i);return o.append(...s),o}function p(e,t){e.textContent!==t&&(e.textContent=t)}function ne({token:e,stateOf:t,routes:s,done:o}){let n=f("dialog"),i=f("change"),[a,d]=[f("group"),f("percent")],h=f("reason"),[u,g]=[f("confirm"),f("problem")],l,v,$=()=>new FormData(i).get("state"),m=()=>$()==="canary"?\`canary \${Number(d.value)}%\`:$(),c=()=>l??a.value,y=()=>{d.disabled=$()!=="canary",d.required=!d.disabled,p(u,$()===null?"Change":\`Change to \${m()}\`);let w=l===void 0?De(s(),a.value).length:1;p(f("sure-text"),\`I mean \${c()==="*"?"all":c()}\${l===void 0?\`: \${w} routes\`:""}\`),h.setCustomValidity(h.value!==""&&h.value.trim()===""?"Say why":"")},M=w=>{l=w,v=l===void 0?void 0:t(l),i.reset(),p(g,""),p(f("dialog-title"),l===void 0?"Change a group":\`Change \${l}\`),p(f("dialog-now"),v===void 0?"States that were set for its parts are taken back.":\`It is at \${v} now.\`),f("group-label").hidden=l!==void 0,l===void 0&&a.replaceChildren(...Oe(s()).map(E=>r("option",{value:E},E==="*"?"* (all)":E))),u.disabled=!1,y(),n.showModal()},x=async()=>{u.disabled=!0,p(g,"");let w={route:c(),state:m(),reason:h.value.trim(),...v!==void 0&&{from:v}};try{let E=await fetch("state",{method:"POST",headers:{"content-type":"application/json","x-csrf-token":e()},body:JSON.stringify(w)}),{error:A,isStored:b}=await E.json();if(!E.ok)throw new Error(A??\`The answer was \${E.status}\`);n.close(),o(\`\${w.route==="*"?"Every route":w.route} is at \${w.state} now\${b===!0?"":"; the store does not have it yet"}\`)}catch(E){p(g,E instanceof Error?E.message:"No answer")}finally{u.disabled=!1}};return i.addEventListener("input",y),i.addEventListener("submit",w=>{w.preventDefault(),u.disabled||x()}),f("cancel").addEventListener("click",()=>n.close()),{open:M,follow:()=>{if(!n.open||l===void 0)return;let w=t(l);w===v||u.disabled||(v=w,p(f("dialog-now"),\`It is at \${w??"no state"} now.\`),p(g,\`The state has changed meanwhile: it is at \${w??"no state"} now.\`))}}}function Oe(e){let t=new Map;for(let o of e){let n=o.slice(o.indexOf(" ")+1).split("/").slice(1),i="";for(let a of n){if(!/^[\\w.~-]+$/.test(a))break;i+=\`/\${a}\`,t.set(i,(t.get(i)??0)+1)}}return["*",...[...t].filter(([,o])=>o>1).sort(([o],[n])=>o.localeCompare(n)).map(([o])=>o).slice(0,500)]}function De(e,t){return t==="*"?[...e]:e.filter(s=>{let o=s.slice(s.indexOf(" ")+1);return o===t||o.startsWith(\`\${t}/\`)})}var[k,P,se,U]=[44,6,8,20];function G({title:e,lines:t,format:s,least:o}){let n=r("figure"),i=r("figcaption",{},r("b",{},e)),a=t.map(({ink:l})=>r("span",{class:\`key \${l}\`}));i.append(...a);let d=T("svg",{role:"img"});n.append(i,d);let h=[],u,g=()=>{let[l,v]=[Math.max(160,d.clientWidth),Math.max(80,d.clientHeight)];d.setAttribute("viewBox",\`0 0 \${l} \${v}\`);let $=h.at(-1),m=$?.at??0,c=Math.min(h[0]?.at??0,m-6e4),y=Fe(Math.max(o,...h.flatMap(({values:b})=>b))),M=b=>k+(b-c)/(m-c)*(l-k-P),x=b=>v-U-b/y*(v-se-U),w=[];for(let b of[0,y/2,y])w.push(T("line",{class:"grid",x1:k,x2:l-P,y1:x(b),y2:x(b)})),w.push(T("text",{x:k-6,y:x(b)+4,"text-anchor":"end"},s(b)));w.push(T("text",{x:k,y:v-4},\`\${je(m-c)} ago\`)),w.push(T("text",{x:l-P,y:v-4,"text-anchor":"end"},"now")),h.length>1&&t.forEach(({ink:b},D)=>{let ee=h.map(te=>\`\${I(M(te.at))} \${I(x(te.values[D]))}\`).join("L"),[Re,Ne]=[I(M(h[0].at)),I(M(m))];w.push(T("path",{class:\`area \${b}\`,d:\`M\${Re} \${x(0)}L\${ee}L\${Ne} \${x(0)}Z\`})),w.push(T("path",{class:\`line \${b}\`,d:\`M\${ee}\`}))});let E=u===void 0?$:qe(h,c+(u-k)/(l-k-P)*(m-c));E!==void 0&&u!==void 0&&w.push(T("line",{class:"at",x1:M(E.at),x2:M(E.at),y1:se,y2:v-U}));let A=t.map(({name:b},D)=>\`\${b} \${E===void 0?"–":s(E.values[D])}\`);A.forEach((b,D)=>p(a[D],b)),u===void 0&&d.setAttribute("aria-label",\`\${e}: \${A.join(", ")}\`),d.replaceChildren(...w)};return d.addEventListener("pointermove",({clientX:l})=>{u=l-d.getBoundingClientRect().left,g()}),d.addEventListener("pointerleave",()=>{u=void 0,g()}),new ResizeObserver(()=>g()).observe(n),{figure:n,draw:l=>{h=l,g()}}}function qe(e,t){let s;for(let o of e)(s===void 0||Math.abs(o.at-t)<Math.abs(s.at-t))&&(s=o);return s}function Fe(e){let t=10**Math.floor(Math.log10(e));return t*[1,2,5,10].find(s=>s*t>=e*.999)}function je(e){return e<9e4?\`\${Math.round(e/1e3)} s\`:\`\${Math.round(e/6e4)} min\`}var I=e=>Math.round(e*10)/10;function T(e,t,s){let o=document.createElementNS("http://www.w3.org/2000/svg",e);for(let[n,i]of Object.entries(t))o.setAttribute(n,String(i));return s!==void 0&&(o.textContent=s),o}var oe=["","State","Migrated","Requests/s: legacy · native","Legacy: p50 / p99 ms","Native: p50 / p99 ms","5xx: legacy · native","Differences","Last asked",""],H="–",B=class{#n;#e;#s;#o;#i=r("span");#l=r("small");#c=r("span");#r=r("span");#t;#a="";#d;constructor(t,s){let o=t.indexOf(" ");this.#s=r("button",{type:"button",class:"open","aria-expanded":"false"},r("b",{},t.slice(0,o)),r("span",{},t.slice(o+1))),this.#s.addEventListener("click",()=>this.#f()),this.#o=r("button",{type:"button","aria-label":\`Change \${t}\`},"Change"),this.#o.addEventListener("click",()=>s(t)),this.#e=oe.map((n,i)=>r("td",{role:"cell",...n!==""&&{"data-label":n},...i===0&&{class:"wide"}})),this.#e[0].append(this.#s),this.#e[1].append(this.#i," ",this.#l),this.#e[2].append(this.#c,r("span",{class:"bar","aria-hidden":"true"},this.#r)),this.#e.at(-1).append(this.#o),this.#n=r("tr",{role:"row"},...this.#e)}elements(){return this.#t===void 0?[this.#n]:[this.#n,this.#t.row]}remove(){for(let t of this.elements())t.remove()}show(t,s,o){this.#d=t;let{legacy:n,native:i,state:a,kind:d,setFor:h,shadow:u,differences:g,lastAskedAt:l,isDead:v}=t;this.#i.className=\`badge is-\${d}\`,p(this.#i,a);let $=h===t.route||h==="initial"?"":\`by \${h}\`;p(this.#l,t.heldBy===void 0?$:"stays: what is set cannot be read");let m=n.requests+i.requests,c=m===0?0:i.requests/m;p(this.#c,m===0?H:\`\${(c*100).toFixed(c>0&&c<.1?1:0)}%\`),this.#r.style.width=\`\${c*100}%\`,this.#r.parentElement.hidden=m===0,[s===void 0||m===0?H:\`\${ae(s.legacy)} · \${ae(s.native)}\`,ie(n),ie(i),n.watched+i.watched===0?H:\`\${V(n.failureRate)} · \${V(i.failureRate)}\`,u.compared===0&&g.length===0?H:\`\${g.length} open · \${V(u.differenceRate)}\`,v?\`dead, \${W(l)}\`:W(l)].forEach((M,x)=>p(this.#e[x+3],M));for(let M of this.#e)M.classList.toggle("empty",M.textContent===H);this.#e[6].classList.toggle("bad",i.failureRate>n.failureRate),this.#e[7].classList.toggle("bad",g.length>0),this.#o.hidden=!o,this.#u()}#f(){let t=this.#t!==void 0;if(this.#s.setAttribute("aria-expanded",String(!t)),this.#t!==void 0){this.#t.row.remove(),this.#t=void 0;return}let s=r("td",{role:"cell",colspan:String(oe.length)});this.#t={row:r("tr",{class:"more",role:"row"},s),cell:s},this.#a="",this.#u(),this.#n.after(this.#t.row)}#u(){if(this.#t===void 0||this.#d===void 0)return;let{legacy:t,native:s,shadow:o,differences:n,coolDownUntil:i,setFor:a,heldBy:d,isDead:h}=this.#d,u=[\`state set for \${a==="initial"?"the beginning":a}\`,\`\${t.requests} requests to legacy, \${s.requests} to the Controller\`,\`\${t.aborted} and \${s.aborted} given up by clients\`,\`\${o.compared} compared, \${o.different} different, \${o.dropped} dropped\`,...o.noise.length>0?[\`not compared, as legacy itself varies: \${o.noise.join(", ")}\`]:[],...i===void 0?[]:[\`no plan moves it before \${new Date(i).toLocaleTimeString()}\`],...d===void 0?[]:[\`it stays where it is, as \${d} cannot be read\`],...h?["dead"]:[]],g=JSON.stringify([u,n]);g!==this.#a&&(this.#a=g,this.#t.cell.replaceChildren(r("ul",{class:"facts"},...u.map(l=>r("li",{},l))),...n.length===0?[r("p",{},"No open difference.")]:n.map(l=>Ae(l))))}};function Ae({what:e,name:t,legacy:s,native:o,method:n,target:i,count:a,lastAt:d,remedy:h}){let u=(g,l,v)=>r("div",{class:l},r("small",{},g),r("pre",{},v===void 0?"(nothing)":v||"(empty)"));return r("article",{class:"difference"},r("p",{},r("b",{},t===void 0?e:\`\${e} \${t}\`),\` in \${a} \${a===1?"answer":"answers"}, last \${W(d)}; first seen with \`,r("code",{},\`\${n} \${i}\`)),...h===void 0?[]:[r("p",{},r("b",{},"Remedy: "),h)],r("div",{class:"sides"},u("legacy","ink-legacy",s),u("native","ink-native",o)))}function ie({p50Ms:e,p99Ms:t}){return e===void 0?H:\`\${re(e)} / \${re(t)}\`}function re(e){return e===void 0?"–":e<10?String(Number(e.toFixed(1))):e.toFixed(0)}function ae(e){return e>=10?e.toFixed(0):String(Number(e.toFixed(1)))}function V(e){return\`\${Number((e*100).toFixed(e<.1?1:0))}%\`}function W(e){if(e===void 0)return"never";let t=Math.max(0,(Date.now()-Date.parse(e))/1e3);return t<60?"just now":t<3600?\`\${Math.floor(t/60)} min ago\`:t<86400?\`\${Math.floor(t/3600)} h ago\`:\`\${Math.floor(t/86400)} days ago\`}var R=["legacy","shadow","canary","native"],Pe=6e5,J=200,Ie=20,C,L,S=new Map,z=new Map,F=new Map,q=[],Z=J,he=Ie,de,K=new Map,ge=e=>\`\${Number((e*100).toFixed(e<.1?1:0))}%\`,Be=e=>e>=10?e.toFixed(0):String(Number(e.toFixed(1))),N=new Intl.NumberFormat("en"),_e=e=>new Date(e).toLocaleString(void 0,{dateStyle:"medium",timeStyle:"medium"}),me=G({title:"Requests per second",lines:[{name:"legacy",ink:"ink-legacy"},{name:"native",ink:"ink-native"}],format:Be,least:1}),pe=G({title:"Share of traffic migrated",lines:[{name:"migrated",ink:"ink-share"}],format:ge,least:1});f("charts").append(me.figure,pe.figure);var Q=ne({token:()=>C?.token??"",stateOf:e=>S.get(e)?.state,routes:()=>[...S.keys()],done:e=>ye(e)});function ye(e){p(f("news"),e)}function we(e){L=e,S.clear();for(let s of e.routes)S.set(s.route,s);for(let[s,o]of z)S.has(s)||(o.remove(),z.delete(s));let t=F.size===0;ve(e.history,t),$e()}function ze(e){if(L===void 0)return;let{routes:t,history:s,count:o,...n}=e;for(let i of t){let a=S.get(i.route);S.set(i.route,{...a,...i})}L={...L,...n},ve(s,!1),$e()}function ve(e,t){for(let s of e){let o=F.has(s.id);F.set(s.id,s),!o&&!t&&ye(\`\${be(s.route)} is at \${s.to} now, by \${s.by}: \${s.reason}\`)}}var be=e=>e==="*"?"Every route":e;function $e(){L!==void 0&&(Je(L),Ue(L),X(),Ye(L),Le(),Q.follow())}function Je({at:e,since:t,routes:s}){let o=Date.parse(e),n=new Map([...S].map(([a,{legacy:d,native:h}])=>[a,[d.requests,h.requests]])),i=de;if(i!==void 0&&i.since===t){let a=(o-i.at)/1e3;if(a<.5)return;let[d,h]=[0,0];for(let[u,[g,l]]of n){let[v,$]=i.requests.get(u)??[g,l],m={legacy:Math.max(0,g-v)/a,native:Math.max(0,l-$)/a},c=K.get(u);K.set(u,{legacy:c===void 0?m.legacy:(c.legacy+m.legacy)/2,native:c===void 0?m.native:(c.native+m.native)/2}),d+=m.legacy,h+=m.native}for(q.push({at:o,values:[d,h]});q[0].at<o-Pe;)q.shift();me.draw(q),pe.draw(q.filter(({values:u})=>u[0]+u[1]>0).map(({at:u,values:g})=>({at:u,values:[g[1]/(g[0]+g[1])]})))}de={at:o,since:t,requests:n}}function Ue({requests:e,nativeShare:t,nativeRequests:s,since:o,store:n,shadow:i,at:a}){let d=[...S.values()],h=d.reduce((c,y)=>c+y.differences.length,0),u=Object.values(i.dropped).reduce((c,y)=>c+y,0),g=d.filter(c=>c.differences.length>0).length;O("Migrated",ge(t),\`\${N.format(s)} of \${N.format(e)} requests\`),O("Routes",N.format(d.length),R.map(c=>\`\${d.filter(y=>y.kind===c).length} \${c}\`).join(", ")),O("Open differences",N.format(h),\`of \${g} routes\`,h>0),O("Compared",N.format(d.reduce((c,y)=>c+y.shadow.compared,0)),\`\${N.format(u)} dropped, \${i.waiting} waiting\`);let l=n.pending>0?\`, \${n.pending} changes wait\`:"";O("Store",n.isAway?"away":n.name,n.isAway?\`\${n.problem??""}\${l}\`:\`\${n.canWrite?"in touch":"read only"}\${l}\`,n.isAway),O("Counted since",new Date(o).toLocaleTimeString(),\`as of \${new Date(a).toLocaleTimeString()}\`);let v=n.isAway?[\`The store \${n.name} is away: \${n.problem??""}. The last known states count.\`]:[];p(f("alarm"),[...v,...Ge(n.unread),...Ve()].join(\`
\`));let $=f("states"),m=R.map(c=>d.filter(y=>y.kind===c).length);for($.setAttribute("aria-label",R.map((c,y)=>\`\${m[y]} \${c}\`).join(", "));$.children.length<R.length;)$.append(r("span",{class:\`fill-\${R[$.children.length]}\`}));R.forEach((c,y)=>{let M=$.children[y];M.hidden=m[y]===0,M.title=\`\${m[y]} \${c}\`,M.style.flexGrow=String(m[y])})}function Ge(e){let t=e.slice(0,3).map(({key:s,state:o,what:n,meant:i,routes:a})=>{let d=a.length===1?\`\${a[0]} stays where it is\`:\`\${a.length} routes stay where they are\`;return\`In the store \${n==="state"?\`"\${s}" is at "\${o}", which is no state\`:\`"\${s}" is for no route\${i===void 0?"":\`, and may mean "\${i}"\`}\`}: \${a.length===0?"it changes nothing":d}.\`});return e.length>3?[...t,\`and \${e.length-3} more settings like that\`]:t}function Ve(){let e=new Map;for(let o of Me())e.has(o.route)||e.set(o.route,o);let t=[...e.values()].filter(({by:o,route:n,to:i})=>{let a=S.get(n);return o==="rollback"&&a?.state===i&&a.setFor===n}),s=t.slice(0,3).map(({route:o,to:n,reason:i})=>\`\${o} went back to \${n}: \${i}\`);return t.length>3?[...s,\`and \${t.length-3} more went back\`]:s}var Me=()=>[...F.values()].sort((e,t)=>e.at<t.at?1:-1),le=new Map;function O(e,t,s,o=!1){let n=le.get(e);n===void 0&&(n={value:document.createTextNode(""),note:r("small"),all:r("dd")},n.all.append(n.value,n.note),f("summary").append(r("div",{},r("dt",{},e),n.all)),le.set(e,n)),p(n.value,t),p(n.note,s),n.all.classList.toggle("bad",o)}var[Ee,Y,_,Se]=["filter","by-state","by-kind","order"].map(e=>f(e));function We(e){let t=Ee.value.toLowerCase().split(/\\s+/).filter(Boolean),s=\`\${e.route} \${e.state}\`.toLowerCase();return!t.every(o=>s.includes(o))||Y.value!==""&&e.kind!==Y.value?!1:_.value==="differences"?e.differences.length>0:_.value==="failures"?e.legacy.failureRate+e.native.failureRate>0:_.value!=="dead"||e.isDead}var Ke={requests:({legacy:e,native:t})=>e.requests+t.requests,differences:({differences:e})=>e.length,slow:({native:e})=>e.p99Ms??-1};function X(){let e=[...S.values()].filter(i=>We(i)),t=Ke[Se.value];t!==void 0&&e.sort((i,a)=>t(a)-t(i));let s=f("rows"),o=e.slice(0,Z),n=o.flatMap(i=>{let a=z.get(i.route);return a===void 0&&z.set(i.route,a=new B(i.route,d=>Q.open(d))),a.show(i,K.get(i.route),C?.canChange===!0),a.elements()});for(n.forEach((i,a)=>{s.children[a]!==i&&s.insertBefore(i,s.children[a]??null)});s.children.length>n.length;)s.lastElementChild.remove();p(f("count"),\`\${e.length} of \${S.size} routes\`),f("none").hidden=e.length>0,xe(f("more"),e.length-o.length,J)}function xe(e,t,s){e.hidden=t<=0,p(e,\`Show \${Math.min(t,s)} more of \${t}\`)}function Ye({dead:e,legacyOnly:t}){ue("dead",e,"Each route was asked lately."),ue("only",t,"Each route of the legacy app has a Controller.")}var ce=new Map;function ue(e,t,s){let o=t.join(\`
\`);if(ce.get(e)===o)return;ce.set(e,o);let n=t.slice(0,500).map(i=>r("li",{},i));t.length>n.length&&n.push(r("li",{},\`and \${t.length-n.length} more\`)),f(e).replaceChildren(n.length===0?r("p",{},s):r("ul",{class:"list"},...n))}var fe="";function Le(){let e=Me();for(let{id:n}of e.slice(200))F.delete(n);let t=e.slice(0,he),s=t.map(({id:n})=>n).join(" ");if(s===fe&&s!=="")return;fe=s;let o=t.map(({at:n,route:i,from:a,to:d,by:h,reason:u})=>r("li",{},r("time",{datetime:n},_e(n)),r("div",{},r("p",{},r("code",{},be(i)),a===void 0?" to ":\` from \${a} to \`,r("b",{},d),\` by \${h}\`),r("p",{class:"why"},u))));f("history").replaceChildren(...o.length===0?[r("li",{},"Nothing has been changed yet.")]:o),xe(f("more-history"),Math.min(e.length,200)-t.length,200)}for(let e of[Ee,Y,_,Se])e.addEventListener("input",()=>{Z=J,L!==void 0&&X()});f("filters").addEventListener("submit",e=>e.preventDefault());f("more").addEventListener("click",()=>{Z+=J,X()});f("more-history").addEventListener("click",()=>{he=200,Le()});f("change-many").addEventListener("click",()=>Q.open(void 0));function j(e,t){let s=f("live");s.dataset.is=e,p(s,t)}async function Te(e){let t=await fetch(e,{cache:"no-store"});if(!t.ok)throw new Error(t.status===401||t.status===403?"You are not let in any more":\`The answer was \${t.status}\`);return await t.json()}function ke(){let e=new EventSource("events");e.addEventListener("status",({data:t})=>{j("live","Live"),we(JSON.parse(t))}),e.addEventListener("update",({data:t})=>ze(JSON.parse(t))),e.addEventListener("error",()=>{if(e.readyState!==EventSource.CLOSED)return j("waiting","Connecting again");Ce(6)})}async function Ce(e){try{we(await Te("status.json")),j("waiting","Asks every five seconds")}catch(t){j("away",t instanceof Error?t.message:"No answer")}setTimeout(()=>e>0?void Ce(e-1):ke(),5e3)}async function He(){try{C=await Te("session"),p(f("visitor"),C.canChange?C.by:\`\${C.by} (may look only)\`),f("change-many").hidden=!C.canChange,ke()}catch(e){j("away",e instanceof Error?e.message:"No answer"),setTimeout(()=>{He()},5e3)}}He();})();`
