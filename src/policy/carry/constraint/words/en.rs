//! English.

use super::Lists;

pub(super) const LISTS: Lists = Lists {
    openers: "please and but so also then well ok okay actually now again just plus or hey sorry \
              ah oh yes yeah no note instead therefore thus kindly remember important",
    joints: "and but then or so please",
    resumers: "so please but therefore thus hence and anyway",
    subjects: "i we he she it they this that there the a an my our his her their its someone \
               somebody nobody people everyone",
    verbs: "use|write|answer|reply|respond|send|give|show|put|name|format|return|output|\
        print|speak|talk|pick|choose|book|order|allow|accept|include|import|run|work|call|\
        quote|report|store|keep|list|suggest|buy|cook|serve|schedule|explain|describe|tell|\
        address",
    rules: "rule|rules|limit|limits|restriction|restrictions|requirement|requirements|\
        constraint|constraints|ban|cap|condition|policy|ceiling|quota|convention|\
        prohibition|freeze|embargo|moratorium|lockdown|deadline",
    demands: "^never|^always|^don t|^dont|^do not|^avoid|^refrain|^make sure|^be sure to|\
        ^ensure|^keep|^stick to/with|^stay below/under/within/away/with|\
        ^remember to/that/not|^limit|^restrict|^prefer|^only|^at most|^at least|^max #|\
        ^maximum|^minimum|^whenever|^every time|^each time|^if … ^ask|^stop and ask|\
        ^stop and tell|^ask … before|^ask … first|^check with me|^leave … as|^leave … alone|\
        ^leave … untouched/unchanged/out|^leave out|^treat … as|^@do … only|\
        ^@do nothing but|^@do … at most|^@do … at least|^@do no|^@do … without|\
        ^@do … exclusively|^@do … everywhere|^@do … for all/every/everything/each|\
        ^@do … every time|^@do all|^@do every|^@do each|to me/us only|but never|and never|\
        never to|must|mustn t|shall|\
        should never/always/not/only/be/stay/remain/have/use/contain/leave/start/end/go/come/take/include|\
        shouldn t|ought to|you should|may not|may never|may only|nothing … may/should|\
        no … may/should|none of … may/should|has/have to be|\
        has/have to stay/remain/go/come/contain/include/fit/match/follow|you have to|\
        needs/need to be|needs/need to stay/remain/have/fit/match/contain/include/follow|\
        you need to|you can t|you cannot|you can only|can only be|can t be|cannot be|\
        is/are to be|is/are not to|is/are never to|^all … need/needs|^every … needs/need|\
        ^each … needs/need|^all … go/goes|^every … gets/goes/has/requires|\
        ^each … gets/goes/has|goes/go to … only|not/never allowed|isn t allowed|\
        aren t allowed|not permitted|not acceptable|unacceptable|forbidden|prohibited|\
        off limits|banned|mandatory|compulsory|obligatory|is/are required|\
        under no circumstances|in no case|by no means|on no account|at all times|\
        at all costs|without exception|no exceptions|no matter what|from now on|\
        from here on|from today on|from this point on|going forward|henceforth|\
        from now onwards|for the rest of|for the remainder|until further notice|until i say|\
        until i tell|unless i|unless told|unless asked|without asking|without my|\
        without checking|without permission|without approval|at most #|at the most|\
        at the very most|at most one/two/three/four/five/six/seven/eight/nine/ten|\
        no/not more than|no/not fewer than|no/not less than|\
        no/not earlier/later/longer/bigger/larger/older/higher/lower than|max #|\
        maximum of #|a maximum of|a minimum of|^under #|^below #|must/to/stays under #|\
        want/need at least|with at least|i prefer|i d prefer|i would prefer|i d rather|\
        i would rather|i want all/every/everything/each/only/no|i want … to be|\
        i want … named/written/called|i want … only|i want … at all times|i don t want|\
        i do not want|we want at/no/only/all/every|we don t want|i insist|\
        i expect all/every|\
        i m/am vegetarian/vegan/allergic/diabetic/celiac/coeliac/pescatarian|\
        i m/am a vegetarian/vegan/diabetic|i m/am lactose|lactose intolerant|\
        is/are allergic|i don t eat/drink|i can t eat/drink/have|i do not eat/drink|\
        nothing else$|^no new/more/other/external/extra/additional/third|^no … without|\
        ^no … in|^no … on|^no … before|^no … after|^no … please|^nothing with|^nothing over|\
        ^nothing in|keep/keeps its|keep/keeps their|stays/stay in|stays/stay as|\
        stays/stay below/under|remains unchanged|^call me|past/through/by me first|\
        to me first|# … tops|# … or less/fewer|no go|taboo|out of the question|\
        ^nothing goes/leaves/gets/ships/may|^@do … in plain/simple/short|\
        ^explain … in plain/simple|^@do … not|^@do … for me only|^@do … instead of",
    lifts: "^forget|^scrap|^disregard|^ignore my/what|^ignore the @rule|^ignore the … @rule|\
        ^drop the @rule|^drop the … @rule|^drop my|^lift the|^cancel the @rule|\
        ^cancel the … @rule|^remove the … @rule|never mind what/the/about/my|\
        no longer in force|no longer a requirement/problem/rule|no longer forbidden/banned|\
        doesn t apply anymore|don t apply anymore|does not apply anymore|you may … again|\
        you can … again|you may now|you can now|you re free to|you are free to|\
        feel free to … again|feel free to … now|is/are fine again|is/are ok/okay again|\
        is/are allowed again|is/are allowed now|is/are now allowed|is/are permitted again|\
        is/are welcome again|it s fine/ok/okay/alright to … again|\
        it s fine/ok/okay/alright to … now|it s fine/ok/okay/alright now to|\
        it s fine/ok/okay/alright again to|@rule is/are gone/off/lifted/over/obsolete|\
        @rule doesn t apply|@rule does not apply|go back to …ing|i take back|\
        i m taking back|i changed my mind about|\
        no longer applies/apply/valid/matters/counts/holds/holding|whatever you like/want",
    reliefs: "no longer have/has to|no longer need/needs to|no longer need|\
        don t have to … anymore|don t need to … anymore|don t have to … any more|\
        don t need to … any more|not needed/necessary/required anymore|\
        not needed/necessary/required any more|no longer necessary/required/needed",
    bans: "never|don t|dont|do not|must not|mustn t|may not|not allowed|forbidden|prohibited|no|nothing|avoid|without",
    replaces: "from now on … instead of|instead of … from now on|^use … instead of|\
        ^use … rather than|^use … and not|^switch to|^switch from|^switch … to|^change … from … to|\
        from now on … no longer|is/are the new|^make it … instead of|^make it … not|\
        not … as i said before|not … as before|^replace the @rule",
    vetoes: "don t worry|don t know|don t think|don t bother|don t mind|don t remember|\
        don t you|do not know|^keep going|^keep up|^keep me|^keep in touch|^keep trying|\
        ^if … what|^no problem|^no idea|^no worries|^no one|^no luck|^no way|^no wonder|\
        ^no doubt|there must|must have|must be a|must be some|must be the reason|it must be|\
        should have|should be fine/ok/okay/done/working/there/enough/ready|\
        i/we/he/she/they always|i/we/he/she/they never|i/we had to|i/we have to go|\
        i ll have to|i have to|had to|used to|i only|i was only|isn t it|aren t they|\
        takes/took at least|always/never was/were/had|i/we should go|i d never|\
        i would never|never again will|\
        you can now see/find/check/read/view/watch/download/visit|^no s|never mind$|\
        whether … must/should/has/have/can/needs|check if|see if|\
        takes/took/ran/was/were/lasted at least|could be that|might be that",
    reports: "he/she/they said|he/she/they says|he/she/they told|told me|told us|said to|\
        said that|say/says that|says the|docs say|documentation says|manual says|\
        readme says|message says|message reads|error says|error reads|output says|log says|\
        according to|i wonder|wondering if/whether|not sure if/whether|i heard|i read that|\
        i was told|it says|as stated in|he/she/they claim/claims/claimed|he/she/they asked|\
        wrote that|the article|my boss/manager/colleague/friend said/says|^why|^how|^what|\
        ^when … ^should/do/does|^do we|^do i|^should i/we|^must i/we|^is it|^are there|\
        the … says/say/said|my … says/said|^maybe",
};
