-- SPDX-License-Identifier: GPL-2.0-only
-- Turn one `tmux capture-pane -e -N -p` dump into an SVG. Usage: lua5.4 ansi2svg.lua COLS ROWS < in > out
local cols, rows = tonumber(arg[1]), tonumber(arg[2])
local CW, CH, FS = 9, 19, 15
local base = {[0]="#1d1f21","#cc6666","#8abd68","#f0c674","#5f8fd0","#b294bb","#5fc0b7","#d8d8d8",
  "#666666","#ff8080","#b5e08f","#ffe08a","#8fb8f0","#d0b0e0","#8fe0d8","#ffffff"}
local function c256(n)
  if n < 16 then return base[n] end
  if n >= 232 then local v = 8 + (n-232)*10; return ("#%02x%02x%02x"):format(v,v,v) end
  n = n - 16; local function f(v) return v == 0 and 0 or 55 + v*40 end
  return ("#%02x%02x%02x"):format(f(n//36), f(n//6%6), f(n%6))
end
local esc = {["&"]="&amp;",["<"]="&lt;",[">"]="&gt;"}
local W, H = cols*CW, rows*CH
print(('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="DejaVu Sans Mono, monospace" font-size="%d">'):format(W,H,FS))
print(('<rect width="%d" height="%d" fill="%s"/>'):format(W,H,base[0]))
local fg, bg, bold, rev, ul = nil, nil, false, false, false
local function sgr(s)
  local p = {} for v in (s == "" and "0" or s):gmatch("%d+") do p[#p+1] = tonumber(v) end
  local i = 1
  while i <= #p do local v = p[i]
    if v == 0 then fg,bg,bold,rev,ul = nil,nil,false,false,false
    elseif v == 1 then bold = true elseif v == 22 then bold = false elseif v == 4 then ul = true elseif v == 24 then ul = false
    elseif v == 7 then rev = true elseif v == 27 then rev = false
    elseif v >= 30 and v <= 37 then fg = base[v-30] elseif v == 39 then fg = nil
    elseif v >= 40 and v <= 47 then bg = base[v-40] elseif v == 49 then bg = nil
    elseif v >= 90 and v <= 97 then fg = base[v-82] elseif v >= 100 and v <= 107 then bg = base[v-92]
    elseif (v == 38 or v == 48) and p[i+1] == 5 then if v == 38 then fg = c256(p[i+2]) else bg = c256(p[i+2]) end i = i + 2
    end i = i + 1 end
end
local y = 0
for line in io.lines() do
  local x, run, rx = 0, {}, 0
  local function flush()
    if #run == 0 then return end
    local f, b = fg or base[7], bg
    if rev then f, b = bg or base[0], fg or base[7] end
    if b then print(('<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>'):format(rx*CW, y*CH, #run*CW, CH, b)) end
    local t = table.concat(run):gsub("[&<>]", esc)
    if t:find("%S") then print(('<text x="%d" y="%d" fill="%s"%s%s textLength="%d" xml:space="preserve">%s</text>'):format(rx*CW, y*CH+CH-5, f, bold and ' font-weight="bold"' or "", ul and ' text-decoration="underline"' or "", #run*CW, t)) end
    run = {}
  end
  local i = 1
  while i <= #line do
    local s, e, p = line:find("^\27%[([%d;:]*)m", i)
    if s then flush(); rx = x; sgr(p); i = e + 1
    elseif line:find("^\14", i) or line:find("^\15", i) then i = i + 1
    else local ch = line:match(utf8.charpattern, i); run[#run+1] = ch; if #run == 1 then rx = x end; x = x + 1; i = i + #ch end
  end
  flush(); y = y + 1
end
print("</svg>")
